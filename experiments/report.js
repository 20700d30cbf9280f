// Sorting of tables by their heads, and a filter of the gallery: comforts, nothing hangs on them.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, i) => {
    let sign = 1;
    head.classList.add("sorts"); head.title = "sort";
    head.addEventListener("click", () => {
      const text = row => row.cells[i].textContent.trim(), value = row => parseFloat(text(row).replace("\u2013", ""));
      const order = (a, b) => isNaN(value(a) - value(b)) ? text(a).localeCompare(text(b)) : value(a) - value(b);
      body.append(...[...body.rows].sort((a, b) => sign * order(a, b))); sign = -sign;
    });
  });
}
const things = [...document.querySelectorAll(".thing")];
if (things.length) {
  const box = Object.assign(document.createElement("input"), {id: "filter", placeholder: "show only objects named ..."});
  box.addEventListener("input", () => things.forEach(t => { t.hidden = !t.dataset.name.includes(box.value.toLowerCase()); }));
  things[0].before(box);
}

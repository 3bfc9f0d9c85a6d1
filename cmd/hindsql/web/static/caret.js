// Where a position of a textarea's text is on the page: browsers don't tell. A hidden
// copy of the text, set in the same letters, has an element at the position.
export function placeOf(text, at) {
  const copy = document.createElement("div"), mark = document.createElement("span");
  copy.className = "copyof";
  copy.setAttribute("aria-hidden", "true");
  copy.textContent = text.value.slice(0, at);
  mark.textContent = text.value.slice(at).match(/^\w*/)[0] || "."; // a word breaks as a whole
  copy.append(mark);
  text.after(copy);
  copy.style.width = `${text.clientWidth}px`;
  const place = {
    left: text.offsetLeft + text.clientLeft + mark.offsetLeft - text.scrollLeft,
    top: text.offsetTop + text.clientTop + mark.offsetTop - text.scrollTop,
    height: parseFloat(getComputedStyle(copy).lineHeight),
  };
  copy.remove();
  return place;
}

// hang puts a box under the line with a position, with its left edge at the position,
// or over the line if more of the window is there. Both are children of one parent.
export function hang(box, text, at) {
  const place = placeOf(text, at), room = text.parentElement;
  box.style.left = `${Math.max(0, Math.min(place.left, room.clientWidth - box.offsetWidth))}px`;
  const y = room.getBoundingClientRect().top + place.top, below = window.innerHeight - y - place.height;
  const over = below < box.offsetHeight + 8 && y > below;
  box.style.top = `${over ? place.top - box.offsetHeight - 2 : place.top + place.height + 2}px`;
}

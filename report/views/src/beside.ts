// Where a floating element stands: beside a point of the window, and wholly inside of what the legend leaves of it.

const APART = 14;
/** The legend's height and a little air. */
const FOOT = 36;

export function standBeside(element: HTMLElement, x: number, y: number): void {
  const { width, height } = element.getBoundingClientRect();
  const left = x + APART + width <= window.innerWidth ? x + APART : x - APART - width;
  const top = y + APART + height <= window.innerHeight - FOOT ? y + APART : Math.min(y - APART - height, window.innerHeight - FOOT - height);
  element.style.left = `${Math.max(4, left)}px`;
  element.style.top = `${Math.max(4, top)}px`;
}

/** Pixels kept free at the edges of the window. */
const gap = 8

/** `below-end`: both end at the same edge; above and below else, they begin at the same. */
type Side = 'above' | 'below' | 'below-end' | 'beside'

/** Lays what is open over a page at what it belongs to, wherever that has scrolled to, and inside the window. */
export function place(box: HTMLElement, item: Element, side: Side): void {
  const { width, height } = box.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const x = within(across(item, width, side), width, clientWidth)
  const y = within(down(item, height, side), height, clientHeight)
  // Some scroll along with the page.
  const [left, top] = getComputedStyle(box).position === 'absolute' ? [x + scrollX, y + scrollY] : [x, y]
  // Not by a transform: what flies out of it in turn could then not leave it.
  box.style.inset = /* no text */ `${top}px auto auto ${left}px`
}

/** Where a box of this size lies along one axis: at the wish if it fits into the window, else as near as it can. */
function within(wish: number, size: number, window: number): number {
  return Math.max(gap, Math.min(wish, window - size - gap))
}

function across(item: Element, width: number, side: Side): number {
  const { left, right } = item.getBoundingClientRect()
  const isRtl = getComputedStyle(item).direction === 'rtl'
  if (side !== 'beside') return (side === 'below-end') === isRtl ? left : right - width
  const before = left - width
  const isBefore = isRtl ? before >= 0 : right + width > document.documentElement.clientWidth
  return isBefore ? before : right
}

function down(item: Element, height: number, side: Side): number {
  const { top, bottom } = item.getBoundingClientRect()
  if (side === 'beside') return top
  return side === 'above' && top >= height + gap ? top - height : bottom
}

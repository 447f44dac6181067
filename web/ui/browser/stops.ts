import { wordsOf } from '../overlays/tips.ts'

/**
 * What carries `data-stop` is one stop for Tab, as toolbars are: at first its first control, later the one that had the focus last.
 * The arrow keys left and right, Home and End lead from one to the next. Menus, tabs and the actions of a page are links and buttons
 * of which each is a stop, and carry none. Fields that one types into keep their own keys and stay stops. In a row of a list Tab stops
 * at what can be used alone; what only has something to say is reached from there by the arrow keys.
 */
const box = '[data-stop]'
const rows = 'tbody tr, li[data-row]'
/** What opens over the page is walked through on its own. */
const nearest = `${box}, ${rows}, [popover], dialog`
const telling = '[data-tip][tabindex]:not(a, button, [data-at], [role="slider"])'
const controls = `a[href], button, select, summary, input:is([type="checkbox"], [type="radio"]), ${telling}`
const fields = 'search, [data-part="search"]'

const last = new WeakMap<Element, HTMLElement>()
let resting: HTMLElement[] = []

/** Begins to watch the keys; returns the way to stop that. */
export function watchStops(): () => void {
  // Before anybody else, so that the browser already finds the next stop.
  const prepare = ({ key }: KeyboardEvent) => key === 'Tab' && arrange()
  document.addEventListener('keydown', prepare, true)
  document.addEventListener('keydown', walk)
  return () => {
    document.removeEventListener('keydown', prepare, true)
    document.removeEventListener('keydown', walk)
  }
}

function arrange(): void {
  for (const one of resting) one.removeAttribute('tabindex')
  resting = []
  for (const group of document.querySelectorAll(box)) setTabStop(group)
  for (const row of document.querySelectorAll(rows))
    for (const one of row.querySelectorAll<HTMLElement>(telling)) one.tabIndex = -1
}

function setTabStop(group: Element): void {
  const all = controlsIn(group)
  const candidates = [document.activeElement, last.get(group)]
  const stop = candidates.find((one) => one instanceof HTMLElement && all.includes(one)) ?? all[0]
  if (stop instanceof HTMLElement) last.set(group, stop)
  for (const one of all) {
    if (one.matches(telling)) one.tabIndex = one === stop ? 0 : -1
    else if (one !== stop) {
      one.tabIndex = -1
      resting.push(one)
    }
  }
}

/** What can be seen and used in a group or a row, but for what lies in another one. */
function controlsIn(group: Element): HTMLElement[] {
  return [...group.querySelectorAll<HTMLElement>(controls)].filter(
    (one) =>
      one.closest(nearest) === group &&
      !one.closest(fields) &&
      !one.matches(':disabled') &&
      (!one.matches(telling) || wordsOf(one) !== '') &&
      one.checkVisibility({ visibilityProperty: true }),
  )
}

type Keys = Readonly<Record<string, (here: number, count: number) => number>>
const ends: Keys = { Home: () => 0, End: (_here, count) => count - 1 }
const steps: Record<'row' | 'mirrored', Keys> = {
  row: { ...ends, ArrowLeft: (here) => here - 1, ArrowRight: (here) => here + 1 },
  mirrored: { ...ends, ArrowLeft: (here) => here + 1, ArrowRight: (here) => here - 1 },
}

function walk(event: KeyboardEvent): void {
  const { target, key } = event
  if (!(target instanceof HTMLElement) || event.defaultPrevented) return
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const group = target.closest(nearest)
  // The device's own list has its own first and last.
  if (!group?.matches(`${box}, ${rows}`) || (target.matches('select') && key in ends)) return
  const all = controlsIn(group)
  const here = all.indexOf(target)
  const next = here < 0 ? undefined : all[steps[wayOf(group)][key]?.(here, all.length) ?? -1]
  if (!next) return
  event.preventDefault()
  next.focus()
}

function wayOf(group: Element): keyof typeof steps {
  return getComputedStyle(group).direction === 'rtl' ? 'mirrored' : 'row'
}

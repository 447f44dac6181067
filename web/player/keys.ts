/** What the keys of the player do; J, K and L as everywhere, arrows for smaller steps. */
export type Moves = {
  toggle: () => void
  /** By so many seconds. */
  step: (seconds: number) => void
  /** To this share of the video. */
  jump: (share: number) => void
  /** Slower or faster by one of the speeds. */
  faster: (by: 1 | -1) => void
  louder: (by: number) => void
  mute: () => void
  fullScreen: () => void
  captions: () => void
}

const actions: Readonly<Record<string, (moves: Moves) => void>> = {
  k: ({ toggle }) => toggle(),
  ' ': ({ toggle }) => toggle(),
  j: ({ step }) => step(-10),
  l: ({ step }) => step(10),
  ArrowLeft: ({ step }) => step(-5),
  ArrowRight: ({ step }) => step(5),
  ArrowUp: ({ louder }) => louder(0.1),
  ArrowDown: ({ louder }) => louder(-0.1),
  Home: ({ jump }) => jump(0),
  End: ({ jump }) => jump(1),
  '<': ({ faster }) => faster(-1),
  '>': ({ faster }) => faster(1),
  m: ({ mute }) => mute(),
  f: ({ fullScreen }) => fullScreen(),
  c: ({ captions }) => captions(),
}

/** Whoever types, chooses or answers a question needs the key for that. */
const taken = 'input:not([type=range]), textarea, select, [contenteditable], [role=dialog], a[href]'

type Listening = {
  /** Around the picture and its controls. */
  film: HTMLElement
  /** Nothing can be done while a question makes them inert. */
  controls: HTMLElement
  /** Where nothing else has keys of its own, they hold wherever the focus is. */
  isAlone: boolean
  until: AbortSignal
}

export function listenToKeys({ film, controls, isAlone, until }: Listening, moves: Moves): void {
  const onKey = (event: KeyboardEvent) => {
    const { key, target } = event
    if (controls.inert || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (!(target instanceof Element) || target.closest(taken)) return
    const isHere = film.contains(target)
    if (!isHere && !(isAlone && target === document.body)) return
    // A button is pressed by it.
    if (key === ' ' && target.closest('button')) return
    // A slider of the volume is moved by them.
    if (key.startsWith('Arrow') && target instanceof HTMLInputElement) return
    // They scroll the page where nobody has chosen the player.
    if (!isHere && (key.startsWith('Arrow') || key === 'Home' || key === 'End')) return
    const act = actions[key.length === 1 ? key.toLowerCase() : key] ?? digit(key)
    if (!act) return
    event.preventDefault()
    act(moves)
  }
  document.addEventListener('keydown', onKey, { signal: until })
}

const digit = (key: string) => (/^\d$/.test(key) ? ({ jump }: Moves) => jump(Number(key) / 10) : undefined)

/** A control of the player: its name for everybody, and the key that does the same. */
export type Label = { text: string; key?: string }

const space = 'http://www.w3.org/2000/svg'

/** Drawn on 24 by 24, in the color of the text. */
export function drawn(path: string): SVGSVGElement {
  const picture = document.createElementNS(space, 'svg')
  picture.setAttribute('viewBox', '0 0 24 24')
  picture.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS(space, 'path')
  line.setAttribute('d', path)
  picture.append(line)
  return picture
}

export function button(path: string, label: Label, press: () => void): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.append(drawn(path))
  made.addEventListener('click', press)
  name(made, label)
  return made
}

/** Read aloud, and shown to the pointer with its key. */
export function name(control: HTMLElement, { text, key }: Label): void {
  control.setAttribute('aria-label', text)
  control.title = key === undefined ? text : `${text} (${key})`
  if (key !== undefined) control.setAttribute('aria-keyshortcuts', key)
}

/** Another picture on a button that changes its meaning. */
export function redraw(control: HTMLElement, path: string): void {
  control.querySelector('path')?.setAttribute('d', path)
}

export type Choice = readonly [value: string, text: string]

/** One of several: the list of the browser itself, which is right for fingers, keys and ears; hidden without a choice. */
export function picker(
  label: Label,
  choices: readonly Choice[],
  onChoose: (value: string) => void,
): HTMLSelectElement {
  const made = document.createElement('select')
  name(made, label)
  made.addEventListener('change', () => onChoose(made.value))
  offer(made, choices)
  return made
}

export function offer(list: HTMLSelectElement, choices: readonly Choice[]): void {
  const { value } = list
  list.replaceChildren(...choices.map(([key, text]) => new Option(text, key, false, key === value)))
  list.hidden = choices.length < 2
}

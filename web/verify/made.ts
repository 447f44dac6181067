import { exactly as exactlyIn } from '#contract/evidence/certificate-labels.ts'
import { language, tell } from './words.ts'

export type Child = Node | string

/** An element with text and elements in it; never HTML. */
export function element(
  tag: string,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElement {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

export function drawing(tag: string, attributes: Record<string, string>, ...children: Node[]): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

export const exactly = (ms: number): string => exactlyIn(ms, language)
export const fromTo = (from: number, to: number): string =>
  tell('fromTo', { from: exactly(from), to: exactly(to) })

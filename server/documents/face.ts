import { create } from 'fontkit'

/** A font as a PDF takes it, and the characters that it has letters for. */
export type Face = { name: string; font: Buffer; characters: ReadonlySet<number> }

export function openFace(name: string, font: Buffer): Face {
  const opened = create(font)
  if (!('characterSet' in opened)) throw new Error(`${name} holds more than one font`)
  return { name, font, characters: new Set(opened.characterSet) }
}

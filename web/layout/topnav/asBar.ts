import type { MenuItem } from '../menu.ts'

/** The menu for a bar: there a caption becomes the button of its group. */
export function asBar(items: readonly MenuItem[]): readonly MenuItem[] {
  return items.map((item) => (item.isTitle ? { ...item, isTitle: false } : item))
}

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { toCss } from '#web/ui/look/fonts.ts'
import { skinNames, skins } from '../ui/look/skins.ts'
import { sections } from './customizer/sections.ts'
import { options } from './settings.ts'

const textOf = (file: string) => readFile(path.resolve(import.meta.dirname, '..', file), 'utf8')

test('every skin can be chosen, and nothing else', () => {
  expect(options.skin).toEqual(skinNames)
  const offered = sections.find(({ choice }) => choice === 'skin')?.options ?? []
  expect(offered.flatMap(({ patch }) => patch?.skin ?? [])).toEqual(skinNames)
})

test.each(skinNames)(
  '%s says its font where it is chosen, and has it before the first paint',
  async (skin) => {
    const [family, fallback] = skins[skin].font
    const offered = sections.flatMap((section) => section.options).find(({ patch }) => patch?.skin === skin)
    expect(offered?.note).toBe(family.replace(' Variable', ''))
    const [page, boot] = await Promise.all(['index.html', 'boot.js'].map(textOf))
    for (const name of [family, fallback]) expect(toCss()).toContain(`font-family: '${name}';`)
    expect(page).toContain(`data-font-of="${skin}"`)
    expect(boot).toContain(`'${skin}'`)
  },
)

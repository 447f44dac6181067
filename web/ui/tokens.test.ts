import { expect, test } from 'vitest'
import { skins, themeNames, toCss } from './tokens.ts'

function channel(value: number): number {
  const share = value / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    channel(Number.parseInt(hex.slice(at, at + 2), 16)),
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

test('the style sheet is the one that the data says', async () => {
  await expect(toCss()).toMatchFileSnapshot('tokens.css')
})

for (const [name, skin] of Object.entries(skins))
  for (const theme of themeNames) {
    const colors = skin.themes[theme]
    const of = (key: string) => colors[key] ?? ''
    const grounds = ['body', 'surface', 'raised'].map(of)

    test(`${name} ${theme}: text can be read on every ground`, () => {
      const texts = ['text', 'heading', 'dimmed', 'primary-text', 'danger', 'success', 'warning', 'info'].map(
        of,
      )
      for (const text of texts)
        for (const ground of grounds)
          expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5)
    })

    test(`${name} ${theme}: status words can be read on their tint`, () => {
      for (const status of ['danger', 'success', 'warning', 'info'])
        expect(contrast(of(status), of(`${status}-tint`)), status).toBeGreaterThanOrEqual(4.5)
      expect(contrast(of('primary-text'), of('primary-tint'))).toBeGreaterThanOrEqual(4.5)
    })

    test(`${name} ${theme}: edges of inputs and focus rings can be seen, filled buttons can be read`, () => {
      for (const ground of grounds) expect(contrast(of('ring'), ground)).toBeGreaterThanOrEqual(3)
      expect(contrast(of('input-border'), of('surface'))).toBeGreaterThanOrEqual(3)
      expect(contrast('#ffffff', skin.primaryFilled)).toBeGreaterThanOrEqual(4.5)
    })

    test(`${name} ${theme}: plain menus and bars can be read`, () => {
      for (const [ground = '', item = '', , , active = ''] of Object.values(skin.menu[theme])) {
        if (!ground.startsWith('#')) continue
        expect(contrast(item, ground)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(active, ground)).toBeGreaterThanOrEqual(4.5)
      }
      for (const [ground = '', item = '', , searchGround = '', , placeholder = ''] of Object.values(
        skin.bar[theme],
      )) {
        if (!ground.startsWith('#')) continue
        expect(contrast(item, ground)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(placeholder, searchGround)).toBeGreaterThanOrEqual(4.5)
      }
    })
  }

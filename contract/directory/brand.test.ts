import { expect, test } from 'vitest'
import { brandOf, drawnColors } from './brand.ts'
import { AccentColor } from './organizations.ts'

/** Contrast ratio as WCAG 2.2 defines it, written apart from what is tested. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other]
    .map((hex) => {
      const [red = 0, green = 0, blue = 0] = [1, 3, 5]
        .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
        .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4))
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    })
    .sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

const steps = [0, 1, 40, 85, 118, 119, 120, 170, 215, 254, 255]
const byte = (value: number) => value.toString(16).padStart(2, '0')
const colors = steps.flatMap((red) =>
  steps.flatMap((green) => steps.map((blue) => `#${byte(red)}${byte(green)}${byte(blue)}`)),
)

/** The grounds of pages and mails on which words of the color stand. */
const grounds = { light: ['#ffffff', '#f1f3f1'], dark: ['#151c19', '#0e1412', '#1b2421'] }

test('makes of every color a band, a button and a link that can be read', () => {
  for (const color of [null, ...colors, ...drawnColors]) {
    const brand = brandOf(color)
    for (const theme of ['light', 'dark'] as const) {
      const { band, onBand, button, onButton, link } = brand[theme]
      const ratios = [
        contrast(band, onBand),
        contrast(button, onButton),
        ...grounds[theme].map((ground) => contrast(link, ground)),
      ]
      expect(Math.min(...ratios), `${color} in ${theme}: ${ratios.join(' ')}`).toBeGreaterThanOrEqual(4.5)
    }
  }
})

test('leaves a color that can be read as it is, and says when it could not', () => {
  for (const color of drawnColors) {
    expect(brandOf(color).light.band).toBe(color)
    expect(brandOf(color).darkened).toBe('not')
  }
  expect(brandOf('#2f80ed').darkened).toBe('little')
  expect(brandOf('#ffd500').darkened).toBe('much')
  expect(brandOf('#000000').light.band).toBe('#000000')
})

test('keeps the hue', () => {
  const channels = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  const [red = 0, green = 0, blue = 0] = channels(brandOf('#ffd500').light.band)
  expect(red).toBeGreaterThan(green)
  expect(green).toBeGreaterThan(blue)
  const [r = 0, g = 0, b = 0] = channels(brandOf('#1d4f7c').dark.button)
  expect(b).toBeGreaterThan(g)
  expect(g).toBeGreaterThan(r)
})

test.each([
  '#12345',
  '#1234567',
  'red',
  '#12345g',
  '#123456;background:url(x)',
  '#123456\n\n#',
  'url(#123456)',
])('is no color: %s', (text) => {
  expect(AccentColor.safeParse(text).success).toBe(false)
})

test('takes a color in capitals', () => {
  expect(AccentColor.parse(' #ABCDEF ')).toBe('#abcdef')
})

/** What a picture of an organization begins with; each can be read under white text as it is. */
export const drawnColors = ['#1d4f7c', '#0b6b58', '#7c3a10', '#8a1f4d', '#4f3790', '#3d4450'] as const

/** Where no color was chosen: the product's own. */
const productColor = '#0b6b58'

type Shades = {
  /** Behind the logo and the name. */
  band: string
  onBand: string
  button: string
  onButton: string
  /** Of words on the page, such as those of a link. */
  link: string
}

export type Brand = {
  light: Shades
  dark: Shades
  /** How the chosen color was changed for the band and the button of the light page. */
  darkened: 'not' | 'little' | 'much'
}

type Linear = readonly [red: number, green: number, blue: number]

/** Relative luminance as WCAG 2.2 defines it, 0 to 1. White text has a contrast of 4.5 on 0.1833, black text on 0.175. */
const most = {
  /** White text on it can be read. */
  underWhite: 0.18,
  /** It can be read on the grey ground of a mail as well. */
  ofWords: 0.15,
  darkBand: 0.04,
  darkWords: 0.02,
} as const
/** It can be read on the ground of a dark page, and dark text on it. */
const leastOnDark = 0.5

/** The colors that an organization's color becomes, so that every text on them, or in them, has a contrast of 4.5 at least. */
export function brandOf(accentColor: string | null): Brand {
  const chosen = linearOf(accentColor ?? productColor)
  const shade = hexOf(darkened(chosen, most.underWhite))
  const bright = hexOf(lightened(chosen, leastOnDark))
  const lost = luminanceOf(chosen) - most.underWhite
  return {
    light: {
      band: shade,
      onBand: '#ffffff',
      button: shade,
      onButton: '#ffffff',
      link: hexOf(darkened(chosen, most.ofWords)),
    },
    dark: {
      band: hexOf(darkened(chosen, most.darkBand)),
      onBand: '#ffffff',
      button: bright,
      onButton: hexOf(darkened(chosen, most.darkWords)),
      link: bright,
    },
    darkened: lost <= 0 ? 'not' : lost < 0.15 ? 'little' : 'much',
  }
}

/** With the same hue: every part of the light is weakened alike. */
function darkened(color: Linear, luminance: number): Linear {
  return scaled(color, Math.min(1, luminance / luminanceOf(color)))
}

/** As strong as the hue can be, and then with white in it. */
function lightened(color: Linear, luminance: number): Linear {
  const now = luminanceOf(color)
  if (now >= luminance) return color
  const strong = scaled(color, Math.min(luminance / now, 1 / Math.max(...color)))
  const left = luminanceOf(strong)
  const white = Math.max(0, (luminance - left) / (1 - left))
  return mapped(strong, (part) => part + (1 - part) * white)
}

const mapped = ([red, green, blue]: Linear, change: (part: number) => number): Linear => [
  change(red),
  change(green),
  change(blue),
]

/** Black has no hue to be made stronger. */
const scaled = (color: Linear, factor: number) =>
  mapped(color, (part) => (Number.isFinite(factor) ? part * factor : part))

const luminanceOf = ([red, green, blue]: Linear) => 0.2126 * red + 0.7152 * green + 0.0722 * blue

function linearOf(hex: string): Linear {
  const part = (at: number) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return [part(1), part(3), part(5)]
}

function hexOf(color: Linear): string {
  const bytes = color.map((part) => {
    const share = part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055
    return Math.round(share * 255)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${bytes.join('')}`
}

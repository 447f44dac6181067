/*
 * The fonts of the skins; a browser fetches only those that the page shows, which is the active skin's. The latin parts are
 * those of Fontsource, cut down to the weights in use, which saves a third:
 * `fonttools varLib.instancer --output inter-latin.woff2 inter-latin-wght-normal.woff2 wght=400:600`
 */

const latin =
  'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD'
const latinExtended =
  'U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+1E00-1E9F, U+1EF2-1EFF, U+20A0-20AB, U+20AD-20C0, U+A720-A7FF'

type Face = { family: string; weight: string; src: string; range: string }

/** One file for all weights. */
function variable(name: string, slug: string, weight: string): Face[] {
  const family = `${name} Variable`
  const extended = `@fontsource-variable/${slug}/files/${slug}-latin-ext-wght-normal.woff2`
  const src = (file: string) => `url('${file}') format('woff2-variations')`
  return [
    { family, weight, src: src(`./fonts/${slug}-latin.woff2`), range: latin },
    { family, weight, src: src(extended), range: latinExtended },
  ]
}

/** The only one with a file for each weight. */
function poppins(weight: string): Face[] {
  const src = (part: string) =>
    `url('@fontsource/poppins/files/poppins-${part}-${weight}-normal.woff2') format('woff2')`
  return [
    { family: 'Poppins', weight, src: src('latin'), range: latin },
    { family: 'Poppins', weight, src: src('latin-ext'), range: latinExtended },
  ]
}

const faces = [
  ...variable('Open Sans', 'open-sans', '400 700'),
  ...variable('Roboto', 'roboto', '400 600'),
  ...variable('Inter', 'inter', '400 600'),
  ...variable('Nunito', 'nunito', '400 700'),
  ...variable('IBM Plex Sans', 'ibm-plex-sans', '400 700'),
  ...poppins('400'),
  ...poppins('500'),
  ...poppins('600'),
]

/**
 * Stand-ins that take the room of their font, so that nothing moves when it arrives, in percent: its mean width of English letters
 * relative to Arial, and its own line metrics.
 */
const fallbacks = [
  { name: 'Open Sans', size: 105, ascent: 101.8, descent: 27.9, gap: 0 },
  { name: 'Roboto', size: 100.3, ascent: 92.5, descent: 24.3, gap: 0 },
  { name: 'Inter', size: 107.2, ascent: 90.4, descent: 22.5, gap: 0 },
  { name: 'Nunito', size: 101.7, ascent: 99.4, descent: 34.7, gap: 0 },
  { name: 'IBM Plex Sans', size: 101.2, ascent: 101.3, descent: 27.2, gap: 0 },
  { name: 'Poppins', size: 113.2, ascent: 92.7, descent: 30.9, gap: 8.8 },
]

/** The style sheet that declares all of them. */
export function toCss(): string {
  return [
    ...faces.map(
      ({ family, weight, src, range }) =>
        `@font-face { font-family: '${family}'; font-style: normal; font-display: swap; font-weight: ${weight}; src: ${src}; unicode-range: ${range}; }`,
    ),
    ...fallbacks.map(
      ({ name, size, ascent, descent, gap }) =>
        `@font-face { font-family: '${name} Fallback'; src: local('Arial'), local('Liberation Sans'), local('Helvetica'); size-adjust: ${size}%; ascent-override: ${ascent}%; descent-override: ${descent}%; line-gap-override: ${gap}%; }`,
    ),
  ].join('\n')
}

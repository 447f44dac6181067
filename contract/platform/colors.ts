/**
 * The colours of the console's first skin, by the names of their tokens (`web/ui/look/tokens.ts`). The pages that the server writes take
 * them too, so that nobody changes houses between a mail's link, a video, the check of a certificate and the console.
 */
type Theme = 'light' | 'dark'

/** The strip of watched seconds: one colour for one meaning, in every skin. */
export const strips = {
  light: {
    's-watched': '#12866d',
    's-again': '#053f34',
    's-missing': '#78857e',
    's-late': '#c2441f',
    's-handed': '#3a7fc4',
    's-ask': '#17211d',
  },
  dark: {
    's-watched': '#23a184',
    's-again': '#a9f3dc',
    's-missing': '#7d8c84',
    's-late': '#f0764f',
    's-handed': '#5d9fdf',
    's-ask': '#eef4f0',
  },
} satisfies Record<Theme, Record<string, string>>

/** Words, edges of fields, and what something is said in; the same in every skin. */
export const inks = {
  light: {
    'c-input-border': '#7b8680',
    'c-text': '#35413b',
    'c-heading': '#17211d',
    'c-dimmed': '#55615b',
    'c-danger': '#b3262f',
    'c-success': '#10755f',
    'c-warning': '#8a5300',
    'c-info': '#0b6a80',
    'c-danger-tint': '#fbeaeb',
    'c-success-tint': '#e2f3ed',
    'c-warning-tint': '#fbf0df',
    'c-info-tint': '#e2f2f6',
  },
  dark: {
    'c-input-border': '#75827b',
    'c-text': '#cad3ce',
    'c-heading': '#edf3ef',
    'c-dimmed': '#9aa8a1',
    'c-danger': '#ff9a9f',
    'c-success': strips.dark['s-watched'],
    'c-warning': '#f2b76a',
    'c-info': '#66cbe0',
    'c-danger-tint': '#3d2227',
    'c-success-tint': '#112a22',
    'c-warning-tint': '#3a2c17',
    'c-info-tint': '#15323b',
  },
} satisfies Record<Theme, Record<string, string>>

/** What lies behind them, and the accent: in the light theme a skin may have others. */
export const grounds = {
  light: {
    'c-body': '#f6f7f5',
    'c-surface': '#ffffff',
    'c-raised': '#eff2ef',
    'c-border': '#e2e6e2',
    'c-primary-text': '#0c7562',
    'c-primary-tint': '#e3f2ed',
  },
  dark: {
    'c-body': '#101413',
    'c-surface': '#171c1a',
    'c-raised': '#202724',
    'c-border': '#323c37',
    'c-primary-text': '#4fd1b5',
    'c-primary-tint': '#163838',
  },
} satisfies Record<Theme, Record<string, string>>

/** Corners of what is pressed or filled in, and of what holds other things. */
export const corners = { control: '6px', card: '8px' }

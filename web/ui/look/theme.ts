import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

/** Shades of one colour for all skins: those in use are tokens (see `shared` below). */
const primary: MantineColorsTuple = [
  'var(--c-primary-tint)',
  'var(--c-primary-tint)',
  'var(--c-primary-tint)',
  'var(--c-primary-text)',
  'var(--c-primary-text)',
  'var(--c-primary-text)',
  'var(--c-primary-text)',
  'var(--c-primary-filled)',
  'var(--c-primary-filled-hover)',
  'var(--c-primary-filled-hover)',
]
const red: MantineColorsTuple = [
  '#fbeaeb',
  '#f5d0d2',
  '#ecabae',
  '#e28287',
  '#d65d64',
  '#c94149',
  '#be3038',
  '#b3262f',
  '#991f27',
  '#7c191f',
]

/**
 * One theme for all skins: what differs between them is a token. Breakpoints of the specification, section 9: 0, 576, 768,
 * 992, 1200 and 1400 px.
 */
export const theme = createTheme({
  colors: { primary, red },
  primaryColor: 'primary',
  primaryShade: 7,
  fontFamily: 'var(--c-font)',
  defaultRadius: 'sm',
  radius: { sm: 'var(--c-radius)' },
  fontSizes: { xs: '12px', sm: 'var(--c-fs)', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { sm: '20px', md: '20px' },
  breakpoints: { xs: '0em', sm: '36em', md: '48em', lg: '62em', xl: '75em', xxl: '87.5em' },
  respectReducedMotion: true,
  focusRing: 'auto',
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'sm' } },
    // Square where buttons are round: a round one would be taken for one of several to choose from.
    Checkbox: { defaultProps: { radius: 3 } },
    // The keys step as well, and the halves of a button that steps are too small to be hit.
    NumberInput: { defaultProps: { hideControls: true } },
    // In place, so that options lie inside the page's landmarks and inside dialogs.
    Select: { defaultProps: { comboboxProps: { withinPortal: false } } },
    MultiSelect: { defaultProps: { comboboxProps: { withinPortal: false } } },
    // A list box without an option is no list box for a screen reader, so what says that nothing is left is one that cannot be chosen.
    ComboboxEmpty: { defaultProps: { role: 'option', 'aria-disabled': true, 'aria-selected': false } },
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'description', 'input', 'error'] } },
  },
})

const shared = {
  '--mantine-color-body': 'var(--c-surface)',
  '--mantine-color-text': 'var(--c-text)',
  '--mantine-color-bright': 'var(--c-heading)',
  '--mantine-color-dimmed': 'var(--c-dimmed)',
  '--mantine-color-placeholder': 'var(--c-dimmed)',
  '--mantine-color-anchor': 'var(--c-primary-text)',
  '--mantine-color-default': 'var(--c-surface)',
  '--mantine-color-default-hover': 'var(--c-raised)',
  '--mantine-color-default-color': 'var(--c-text)',
  '--mantine-color-default-border': 'var(--c-input-border)',
  '--mantine-color-error': 'var(--c-danger)',
  '--mantine-color-disabled': 'var(--c-raised)',
  '--mantine-color-disabled-color': 'var(--c-dimmed)',
  '--mantine-color-disabled-border': 'var(--c-border)',
  '--mantine-color-primary-filled': 'var(--c-primary-filled)',
  '--mantine-color-primary-filled-hover': 'var(--c-primary-filled-hover)',
  '--mantine-color-primary-light-hover': 'var(--c-primary-tint)',
  '--mantine-color-primary-light-color': 'var(--c-primary-text)',
  '--mantine-color-red-light-hover': 'var(--c-danger-tint)',
  '--mantine-color-red-light-color': 'var(--c-danger)',
}

/** Fields and boxes of the dark theme, which Mantine draws in greys of its own. */
const dark = {
  ...shared,
  '--mantine-color-dark-6': 'var(--c-surface)',
  '--mantine-color-dark-7': 'var(--c-raised)',
}

/** Mantine takes its colours from the tokens, so that skin and theme are decided in one place. */
export const variables: CSSVariablesResolver = () => ({ variables: {}, light: shared, dark })

/** The languages in which recipients are spoken to. What the console speaks is another matter: `language.ts`. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** How each calls itself. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

/** The tag by which days, numbers and plurals are written. */
export const localeOf: Readonly<Record<Language, string>> = { en: 'en-US', de: 'de-DE' }

import type { Language } from '#contract/platform/text/languages.ts'

type Words = {
  subject: (title: string) => string
  messages: readonly string[]
  templates: readonly { name: string; subject: string; message: string }[]
  /** Why somebody need not watch, and for how many months; null: for good. */
  waivers: readonly { reason: string; months: number | null }[]
}

/** What people in an organization of that language write. */
export const words: Readonly<Record<Language, Words>> = {
  en: {
    subject: (title) => `Please watch: ${title}`,
    messages: [
      'Hello,\n\nplease watch this short video before the end of next week. It takes only a few minutes.\n\nThank you!',
      'Dear colleagues,\n\nthis concerns all of us. Please watch it to the end; your answers count as your signature.',
      'Hi,\n\nhere is the video that we talked about. If anything is unclear, just ask your shift lead.',
    ],
    templates: [
      {
        name: 'Training for newcomers',
        subject: 'Welcome, {{firstName|colleague}}: {{video}}',
        message: `Hello {{firstName|colleague}},

welcome to {{organization}}. Before your first shift, please:

- watch **{{video}}** in full
- ask {{sender}} whatever stays open`,
      },
      {
        name: 'Yearly briefing',
        subject: '{{video}}, due by {{due|the end of the month}}',
        message: `Hello {{name}},

once a year everybody sees **{{video}}**. Please watch it by {{due|the end of the month}}.`,
      },
    ],
    waivers: [
      { reason: 'On parental leave', months: 6 },
      { reason: 'Passed the same training at another site in spring', months: null },
      { reason: 'Works from home and never enters the site', months: null },
      { reason: 'Long-term sick', months: 3 },
    ],
  },
  de: {
    subject: (title) => `Bitte ansehen: ${title}`,
    messages: [
      'Hallo zusammen,\n\nbitte seht euch dieses kurze Video bis Ende nächster Woche an. Es dauert nur eine Minute.\n\nVielen Dank!',
      'Liebe Kolleginnen und Kollegen,\n\ndas betrifft uns alle. Bitte seht es euch bis zum Ende an.',
      'Hallo,\n\nhier ist das Video, über das wir gesprochen haben. Fragen beantwortet gern eure Filialleitung.',
    ],
    templates: [
      {
        name: 'Für neue Kolleginnen und Kollegen',
        subject: 'Willkommen, {{firstName|im Team}}: {{video}}',
        message: `Hallo {{firstName}},

willkommen bei {{organization}}. Bitte sieh dir vor der ersten Schicht **{{video}}** ganz an.`,
      },
      {
        name: 'Einmal im Jahr',
        subject: '{{video}}, bitte bis {{due|Ende des Monats}}',
        message: `Hallo {{name}},

einmal im Jahr sehen alle **{{video}}**. Bitte sieh es dir bis {{due|Ende des Monats}} an.`,
      },
    ],
    waivers: [
      { reason: 'In Elternzeit', months: 6 },
      { reason: 'Hat die Schulung im Frühjahr in einer anderen Filiale gemacht', months: null },
    ],
  },
}

import { IntlMessageFormat } from 'intl-messageformat'
import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { account as accountDe } from '#contract/messages/de/account.ts'
import { card as cardDe } from '#contract/messages/de/card.ts'
import { certificate as certificateDe } from '#contract/messages/de/certificate.ts'
import { evidence as evidenceDe } from '#contract/messages/de/evidence.ts'
import { late as lateDe } from '#contract/messages/de/late.ts'
import { mail as mailDe } from '#contract/messages/de/mail.ts'
import { notices as noticesDe } from '#contract/messages/de/notices.ts'
import { ownData as ownDataDe } from '#contract/messages/de/ownData.ts'
import { captions as captionsDe } from '#contract/messages/de/captions.ts'
import { player as playerDe } from '#contract/messages/de/player.ts'
import { quiz as quizDe } from '#contract/messages/de/quiz.ts'
import { receipt as receiptDe } from '#contract/messages/de/receipt.ts'
import { training as trainingDe } from '#contract/messages/de/training.ts'
import { transcript as transcriptDe } from '#contract/messages/de/transcript.ts'
import { verify as verifyDe } from '#contract/messages/de/verify.ts'
import { watch as watchDe } from '#contract/messages/de/watch.ts'
import { account } from '#contract/messages/en/account.ts'
import { card } from '#contract/messages/en/card.ts'
import { certificate } from '#contract/messages/en/certificate.ts'
import { evidence } from '#contract/messages/en/evidence.ts'
import { late } from '#contract/messages/en/late.ts'
import { mail } from '#contract/messages/en/mail.ts'
import { notices } from '#contract/messages/en/notices.ts'
import { ownData } from '#contract/messages/en/ownData.ts'
import { captions } from '#contract/messages/en/captions.ts'
import { player } from '#contract/messages/en/player.ts'
import { quiz } from '#contract/messages/en/quiz.ts'
import { receipt } from '#contract/messages/en/receipt.ts'
import { training } from '#contract/messages/en/training.ts'
import { transcript } from '#contract/messages/en/transcript.ts'
import { verify } from '#contract/messages/en/verify.ts'
import { watch } from '#contract/messages/en/watch.ts'
import {
  plain,
  sayer,
  teller,
  type Catalogue,
  type Parsed,
  type Say,
  type Tell,
  type Translation,
} from '#contract/platform/text/say.ts'

/** What each surface says: English, which decides about keys and values. */
const english = {
  account,
  captions,
  card,
  certificate,
  evidence,
  late,
  mail,
  notices,
  ownData,
  player,
  quiz,
  receipt,
  training,
  transcript,
  verify,
  watch,
}
export type Surfaces = typeof english
export type Surface = keyof Surfaces
export const surfaces = Object.keys(english) as Surface[]

type Catalogues = { readonly [S in Surface]: Translation<Surfaces[S]> }
const catalogues: Readonly<Record<Language, Catalogues>> = {
  en: english,
  de: {
    account: accountDe,
    captions: captionsDe,
    card: cardDe,
    certificate: certificateDe,
    evidence: evidenceDe,
    late: lateDe,
    mail: mailDe,
    notices: noticesDe,
    ownData: ownDataDe,
    player: playerDe,
    quiz: quizDe,
    receipt: receiptDe,
    training: trainingDe,
    transcript: transcriptDe,
    verify: verifyDe,
    watch: watchDe,
  },
}

const known = new Map<string, unknown>()
function once<Made>(key: string, make: () => Made): Made {
  if (!known.has(key)) known.set(key, make())
  // Each key belongs to one kind of thing.
  return known.get(key) as Made
}

/** What a surface says, in a language. */
export const sayIn = <S extends Surface>(language: Language, surface: S): Say<Surfaces[S]> =>
  once(`say ${language} ${surface}`, () =>
    sayer<Surfaces[S]>(catalogues[language][surface], localeOf[language]),
  )

/** The same by a key that only the running program knows. */
export const tellIn = <S extends Surface>(language: Language, surface: S): Tell<Surfaces[S]> =>
  once(`tell ${language} ${surface}`, () =>
    teller<Surfaces[S]>(catalogues[language][surface], localeOf[language]),
  )

/** The same for the script of a page. */
export const parsedIn = <S extends Surface>(language: Language, surface: S): Parsed<Surfaces[S]> =>
  once(`parsed ${language} ${surface}`, () => parsed<Surfaces[S]>(catalogues[language][surface], language))

function parsed<C extends Catalogue>(messages: Translation<C>, language: Language): Parsed<C> {
  const trees = Object.entries(messages).map(([key, message]) => [
    key,
    new IntlMessageFormat(message, localeOf[language], {}, plain).getAst(),
  ])
  return Object.fromEntries(trees) as Parsed<C>
}

import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { notices } from '#contract/messages/en/notices.ts'
import type { Tx } from '../platform/db/client.ts'
import type { Env } from '../platform/env.ts'
import type { Services } from '../platform/http/services.ts'
import { queueMail } from '../platform/jobs/mail.ts'
import { sayIn, tellIn, type Surfaces } from '../platform/messages.ts'
import type { Text } from '../documents/mail/page.ts'
import { languageOfPerson, zoneOfPerson } from './mail-language.ts'
import { compose, greeting } from './mails.ts'

type Keys = keyof Surfaces['notices']
/** What a person is told by mail when it happens to their account. */
type NoticeEvent = { [K in Keys]: K extends `${infer Event}_subject` ? Event : never }[Keys] & Keys
/** Whoever tells names the facts; days are said in words, and `{product}`, `{origin}` and `{at}` are always known. */
type Facts = Readonly<Record<string, string | Date>>

const ownEnd = new Set<string>(Object.keys(notices))
const hasOwnEnd = (key: string): key is Extract<Keys, `${string}_otherwise`> => ownEnd.has(key)

type NoticeContent = { language: Language; timeZone: string; event: NoticeEvent; name: string; facts: Facts }

function noticeMail(env: Env, { language, timeZone, event, name, facts }: NoticeContent): Text {
  const tell = tellIn(language, 'notices')
  const end = `${event}_otherwise`
  const title = tell(`${event}_subject`)
  const day = new Intl.DateTimeFormat(localeOf[language], { dateStyle: 'long', timeZone })
  const values = Object.fromEntries(
    Object.entries(facts).map(([key, fact]) => [key, fact instanceof Date ? day.format(fact) : fact]),
  )
  return compose(env, {
    language,
    subject: `${title} – ${env.productName}`,
    title,
    lines: [greeting(sayIn(language, 'account'), name), ...tell(event, values).split('\n\n')],
    end: tell(hasOwnEnd(end) ? end : 'notYou'),
  })
}

type NotifiedPerson = { id: string; name: string; email: string; organizationId: string | null }
type Notice = {
  person: NotifiedPerson
  event: NoticeEvent
  /** In the language of the mail, where they are words. */
  facts?: Facts | ((language: Language) => Facts)
}

/** In the transaction of what it tells about. */
export async function queueNotice(
  services: Services,
  tx: Tx,
  { person, event, facts = {} }: Notice,
): Promise<void> {
  const { id, name, email, organizationId } = person
  const language = await languageOfPerson(tx, id)
  const timeZone = await zoneOfPerson(tx, id)
  const at = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const known = { product: services.env.productName, origin: services.publicUrl(), at }
  const values = { ...(typeof facts === 'function' ? facts(language) : facts), ...known }
  await queueMail(services, tx, {
    organizationId,
    address: email,
    ...noticeMail(services.env, { language, timeZone, event, name, facts: values }),
  })
}

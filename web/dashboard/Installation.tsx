import { Link } from '@tanstack/react-router'
import { readInstallation, type HealthState } from '#contract/dashboard.ts'
import type { Reply } from '#contract/endpoint.ts'
import { useEndpoint } from '../api/query.ts'
import { rhythm } from './sections/place.ts'
import { paths } from '../paths.ts'
import { dash, formatBytes, formatDuration, formatNumber, plural } from '../ui/format.ts'
import { StatusBadge, type Tone } from '../ui/figures/StatusBadge.tsx'
import { DateTime } from '../ui/Time.tsx'
import styles from './Installation.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import partClasses from '#web/ui/look/part.module.css'

type Facts = Reply<typeof readInstallation>
type PartOf = {
  name: string
  state: HealthState
  says: string
  /** What to do about it; told unless all is fine. */
  todo: string
  way?: { search: Record<string, string>; label: string }
  /** The last sign of life. */
  at?: string | null
}

const words: Record<HealthState, { tone: Tone; word: string }> = {
  ok: { tone: 'success', word: 'Fine' },
  warning: { tone: 'warning', word: 'Needs attention' },
  failing: { tone: 'danger', word: 'Failing' },
}

const since = (seconds: number | null) =>
  seconds === null ? '' : `, the oldest for ${formatDuration(seconds * 1_000)}`
const failed = (n: number) => (n > 0 ? `, ${formatNumber(n)} failed in the last day` : '')
const waiting = (n: number, seconds: number | null) =>
  n === 0 ? 'Nothing waits' : `${formatNumber(n)} waiting${since(seconds)}`

function partsOf({ database, queue, disk, mail, audit, media, boundary }: Facts): PartOf[] {
  return [
    {
      name: 'Database',
      state: database.state,
      says: `PostgreSQL ${database.version}, ${formatBytes(database.bytes)}, answers in ${formatNumber(Math.ceil(database.answerMs))} ms`,
      todo: 'It answers slowly. See whether its machine is busy or its disk is full.',
    },
    {
      name: 'Background work',
      state: queue.state,
      says: `${waiting(queue.waiting, queue.oldestSeconds)}, ${formatNumber(queue.running)} running${failed(queue.failedDay)}`,
      todo: 'Work piles up: nothing imports or sends in time. Restart the product, and read its log.',
    },
    { name: 'Disk', state: disk.state, ...diskSays(disk) },
    { name: 'Mail', state: mail.state, ...mailSays(mail) },
    {
      name: 'Videos',
      state: media.state,
      says: `${waiting(media.waiting, media.oldestSeconds)}, ${plural(media.running, 'video')} being prepared${failed(media.failedDay)}`,
      todo: 'Nobody prepares the videos that wait. Restart the media process, and read its log.',
    },
    {
      name: 'Uploaded files',
      state: boundary.state,
      says:
        boundary.state === 'ok'
          ? 'Videos are converted behind a boundary'
          : 'Videos are converted without a boundary, with the rights of the server',
      todo: 'Let only people whom you trust upload files, or run the product where a boundary is possible.',
    },
    {
      name: 'Audit log',
      state: audit.state,
      says:
        audit.waiting === 0
          ? 'All entries are sealed'
          : `${plural(audit.waiting, 'entry', 'entries')} to seal${since(audit.oldestSeconds)}`,
      todo: 'Entries wait for their seal. Restart the product, and read its log.',
      at: audit.sealedAt,
    },
  ]
}

function diskSays({ freeBytes, totalBytes }: Facts['disk']): Pick<PartOf, 'says' | 'todo'> {
  if (freeBytes === null || totalBytes === null)
    return {
      says: 'The system does not say how much is free',
      todo: 'See on the machine itself whether there is room for videos.',
    }
  return {
    says: `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} free`,
    todo: 'Make room, or give it a larger disk: when it is full, no video can be uploaded.',
  }
}

function mailSays(mail: Facts['mail']): Pick<PartOf, 'says' | 'todo' | 'way'> {
  if (!mail.hasServer)
    return {
      says: 'No mail server: mails rest in the outbox',
      todo: 'Nobody gets mail until a mail server is set up.',
      way: { search: { tab: 'mail' }, label: 'Set up a mail server' },
    }
  if (mail.failingSince !== null)
    return {
      says: `The mail server does not answer, ${waiting(mail.waiting, mail.oldestSeconds).toLowerCase()}`,
      todo: 'See whether it runs and lets this installation in. What waits leaves by itself as soon as it answers.',
    }
  const slowed = mail.slowed > 0 ? ', the mail server asks to go slower' : ''
  return {
    says: `${waiting(mail.waiting, mail.oldestSeconds)}${failed(mail.failedDay)}${slowed}`,
    todo: slowed
      ? 'Sending goes on by itself, more slowly. If that stays so, ask who runs the mail server.'
      : 'Mails do not leave. See whether the mail server can be reached, and its password is right.',
  }
}

function verdict(parts: readonly PartOf[]): string {
  const troubled = parts.filter(({ state }) => state !== 'ok').length
  return troubled === 0
    ? 'Every part is fine'
    : `${plural(troubled, 'part')} of ${parts.length} ${troubled === 1 ? 'needs' : 'need'} a look`
}

/** Whether each part of the installation does its work, and what to do where it does not, for whoever runs it. */
export function Installation() {
  const facts = useEndpoint(readInstallation, {}, { every: rhythm.calm })
  const parts = partsOf(facts)
  return (
    <section className={`${shapes.card} ${partClasses.part}`} aria-labelledby="installation">
      <header className={shapes.spaceBetween}>
        <h2 id="installation">Installation</h2>
        <p>{verdict(parts)}</p>
      </header>
      <ul className={styles.parts}>
        {parts.map((part) => (
          <PartRow key={part.name} {...part} />
        ))}
      </ul>
      <footer>
        Version {facts.version}, Node.js {facts.node}
      </footer>
    </section>
  )
}

function PartRow({ name, state, says, todo, way, at }: PartOf) {
  const { tone, word } = words[state]
  return (
    <li>
      <div className={`${shapes.spaceBetween} ${partClasses.line}`}>
        <strong>{name}</strong>
        <StatusBadge tone={tone}>{word}</StatusBadge>
      </div>
      <p>
        {says}
        {at !== undefined && <>, last seal {at === null ? dash : <DateTime iso={at} />}</>}
      </p>
      {state !== 'ok' && (
        <p className={partClasses.matter}>
          {todo}{' '}
          {way && (
            <Link to={paths.settings()} search={way.search}>
              {way.label}
            </Link>
          )}
        </p>
      )}
    </li>
  )
}

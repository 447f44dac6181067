import { readInstallation, type HealthState } from '#contract/dashboard.ts'
import type { Reply } from '#contract/endpoint.ts'
import { useEndpoint } from '../api/query.ts'
import { dash, formatBytes, formatDuration, formatNumber, plural } from '../ui/format.ts'
import '../ui/part.css'
import { StatusBadge, type Tone } from '../ui/StatusBadge.tsx'
import { DateTime } from '../ui/Time.tsx'

type Facts = Reply<typeof readInstallation>

const liveMs = 30_000

const words: Record<HealthState, { tone: Tone; word: string }> = {
  ok: { tone: 'success', word: 'Fine' },
  warning: { tone: 'warning', word: 'Look at it' },
  failing: { tone: 'danger', word: 'Failing' },
}

const since = (seconds: number | null) =>
  seconds === null ? '' : `, the first for ${formatDuration(seconds * 1_000)}`
const failed = (n: number) => (n > 0 ? `, ${formatNumber(n)} failed in the last day` : '')

function partsOf({ database, queue, disk, mail, audit, media }: Facts) {
  const waiting = (n: number, seconds: number | null) =>
    n === 0 ? 'Nothing waits' : `${formatNumber(n)} waiting${since(seconds)}`
  return [
    {
      name: 'Database',
      state: database.state,
      says: `${formatBytes(database.bytes)}, answers in ${formatNumber(Math.ceil(database.answerMs))} ms`,
    },
    {
      name: 'Background work',
      state: queue.state,
      says: `${waiting(queue.waiting, queue.oldestSeconds)}, ${formatNumber(queue.running)} running${failed(queue.failedDay)}`,
    },
    {
      name: 'Disk',
      state: disk.state,
      says:
        disk.freeBytes === null || disk.totalBytes === null
          ? 'The system does not say how much is free'
          : `${formatBytes(disk.freeBytes)} of ${formatBytes(disk.totalBytes)} free`,
    },
    { name: 'Mail', state: mail.state, says: mailSays(mail, waiting) },
    {
      name: 'Videos',
      state: media.state,
      says: `${waiting(media.waiting, media.oldestSeconds)}, ${plural(media.running, 'video')} being prepared${failed(media.failedDay)}`,
    },
    {
      name: 'Audit log',
      state: audit.state,
      says:
        audit.waiting === 0
          ? 'All entries are sealed'
          : `${plural(audit.waiting, 'entry', 'entries')} to seal${since(audit.oldestSeconds)}`,
      at: audit.sealedAt,
    },
  ]
}

function mailSays(mail: Facts['mail'], waiting: (n: number, seconds: number | null) => string): string {
  if (!mail.hasServer) return 'No mail server: mails rest in the outbox'
  const slowed = mail.slowed > 0 ? ', the mail server asks to go slower' : ''
  return `${waiting(mail.waiting, mail.oldestSeconds)}${failed(mail.failedDay)}${slowed}`
}

/** Whether each part of the installation does its work, for whoever runs it. */
export function Installation() {
  const facts = useEndpoint(readInstallation, {}, { every: liveMs })
  return (
    <section className="ui-card ui-part" aria-labelledby="installation">
      <header>
        <h2 id="installation">Installation</h2>
        <p>Version {facts.version}</p>
      </header>
      <ul className="ui-rows">
        {partsOf(facts).map(({ name, state, says, at }) => (
          <li key={name}>
            <div className="ui-line">
              <strong>{name}</strong>
              <StatusBadge tone={words[state].tone}>{words[state].word}</StatusBadge>
            </div>
            <p>
              {says}
              {at !== undefined && <>, last seal {at === null ? dash : <DateTime iso={at} />}</>}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

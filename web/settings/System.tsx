import { Button } from '@mantine/core'
import { readDoctor, type Finding, type FindingState } from '#contract/doctor/doctor.ts'
import { checkLabels, wordsOf } from '#contract/doctor/doctor-words.ts'
import { useBusy } from '#web/api/attempt.ts'
import { fetchFresh, useList } from '#web/api/query.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { plural } from '#web/ui/format.ts'
import { StatusBadge, type Tone } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import classes from './System.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const words: Record<FindingState, { tone: Tone; word: string }> = {
  ok: { tone: 'success', word: 'Fine' },
  attention: { tone: 'warning', word: 'Needs attention' },
  wrong: { tone: 'danger', word: 'Wrong' },
}

/** What `npm run doctor` says, as this server finds it: each finding with what to do about it. */
export function System() {
  const { page, error, retry } = useList(readDoctor, {})
  const [isBusy, run] = useBusy()
  if (error || !page) return <NotRead error={error} retry={retry} height={480} />
  const again = () => run(() => fetchFresh(readDoctor, {}), 'Everything was looked at again.')
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="system-findings">
      <header className={shapes.spaceBetween}>
        <div>
          <h2 id="system-findings">{verdict(page.findings)}</h2>
          <p className={shapes.hint}>
            Looked at <DateTime iso={page.lookedAt} />
          </p>
        </div>
        <Button variant="default" loading={isBusy} onClick={() => void again()}>
          Check again
        </Button>
      </header>
      <ul className={classes.findings}>
        {page.findings.toSorted(openFirst).map((finding) => (
          <FindingRow key={`${finding.check} ${finding.code}`} finding={finding} />
        ))}
      </ul>
    </section>
  )
}

const openFirst = (one: Finding, other: Finding) => Number(one.state === 'ok') - Number(other.state === 'ok')

function verdict(findings: readonly Finding[]): string {
  const open = findings.filter(({ state }) => state !== 'ok').length
  return open === 0 ? 'Everything is as it should be' : `${plural(open, 'thing')} to look at`
}

function FindingRow({ finding }: { finding: Finding }) {
  const { says, todo } = wordsOf(finding)
  const { tone, word } = words[finding.state]
  return (
    <li>
      <div className={shapes.spaceBetween}>
        <strong>{checkLabels[finding.check]}</strong>
        <StatusBadge tone={tone}>{word}</StatusBadge>
      </div>
      <p>{says}</p>
      {todo !== undefined && <p className={classes.todo}>{todo}</p>}
    </li>
  )
}

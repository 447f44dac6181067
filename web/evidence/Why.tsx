import { useState, type ReactNode } from 'react'
import type { Evidence, EvidenceVersion } from '#contract/evidence/evidence.ts'
import { language } from '#contract/platform/text/language.ts'
import { formatLength, formatPart, formatSeconds, formatReached } from '#web/ui/format.ts'
import columns from '#web/ui/table/columns.module.css'
import { DateTime } from '#web/ui/Time.tsx'
import { evidenceLabels } from './labels.ts'
import classes from './EvidencePage.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { version: EvidenceVersion; name: string; questions: Evidence['questions'] }

const exact = new Intl.NumberFormat(language, { style: 'percent', minimumFractionDigits: 2 })
/** Rounded down like every share, so that nothing looks fuller than it is. */
const exactShare = (share: number) => exact.format(Math.floor(share * 10_000 + 1e-6) / 10_000)

/** The percentage with its arithmetic, and what is missing. */
export function Why({ version, name, questions }: Props) {
  const { durationMs, coveredMs, missingMs, neededMs, share, threshold, lanes, unheard } = version
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="evidence-why">
      <h2 id="evidence-why">Why {formatReached(share)}</h2>
      <p>
        {sentence(version, name)} {evidenceLabels[version.state].means}
      </p>
      <div className={columns.even}>
        <dl className={`${shapes.narrow} ${classes.sum}`}>
          <Line label="Different parts seen" value={formatSeconds(coveredMs)} />
          <Line label="Missing" sign="+" value={formatSeconds(missingMs)} />
          <Line label="Length of the video" sign="=" value={formatSeconds(durationMs)} isSum />
          <Line
            label={`${formatSeconds(coveredMs)} ÷ ${formatSeconds(durationMs)}`}
            sign="="
            value={exactShare(share)}
            isSum
          />
          <Line
            label={`Needed to complete: ${formatReached(threshold)} of ${formatSeconds(durationMs)}`}
            value={formatSeconds(neededMs)}
          />
          <Line
            label={coveredMs >= neededMs ? 'More than needed' : 'Still needed'}
            value={formatSeconds(Math.abs(neededMs - coveredMs))}
          />
        </dl>
        <div>
          <Conditions version={version} questions={questions} />
          <Missing ranges={lanes.missing} unheard={unheard} name={name} />
        </div>
      </div>
    </section>
  )
}

function sentence({ durationMs, coveredMs, missingMs, share }: EvidenceVersion, name: string): string {
  if (durationMs === 0) return 'The length of this version is not known.'
  if (coveredMs === 0) return `${name} has seen nothing of it that counts.`
  if (missingMs === 0) return `${name} has seen all ${formatLength(durationMs)}: nothing is missing.`
  return `${name} has seen ${formatLength(coveredMs)} of ${formatLength(durationMs)}, repeats counted once. ${formatLength(missingMs)} are missing, so it is ${formatReached(share)}.`
}

type LineProps = { label: string; sign?: string; value: ReactNode; isSum?: boolean }

function Line({ label, sign, value, isSum }: LineProps) {
  return (
    <div className={shapes.spaceBetween} data-sum={isSum || undefined}>
      <dt>{label}</dt>
      <dd className={shapes.updated}>
        {sign && (
          <span className={shapes.unit} aria-hidden>
            {sign}
          </span>
        )}
        {value}
      </dd>
    </div>
  )
}

function Conditions({ version, questions }: Omit<Props, 'name'>) {
  const { coveredAt, completedAt, threshold, coveredMs, neededMs, state } = version
  const { required, answered, passed, failed } = questions
  return (
    <ul className={classes.conditions}>
      <li data-met={coveredAt !== null}>
        {coveredAt ? (
          <>
            {formatReached(threshold)} was reached on <DateTime iso={coveredAt} />, which stays.
          </>
        ) : coveredMs < neededMs ? (
          <>{formatReached(threshold)} has not been reached.</>
        ) : state === 'checking' ? (
          <>
            {formatReached(threshold)} was reported, and is being checked against what the server handed out.
            That takes 15 seconds at most.
          </>
        ) : (
          <>
            {formatReached(threshold)} was reported, but not from evidence that counts in this organization.
          </>
        )}
      </li>
      <li data-met={answered >= required}>
        {required === 0
          ? 'The video insists on no question.'
          : `${answered} of ${required} questions that the video insists on are answered.`}
      </li>
      {passed !== null && (
        <li data-met={passed}>
          {passed ? (
            'The questions are passed.'
          ) : failed ? (
            <>
              The questions have to be passed, and were failed on <DateTime iso={failed.at} />.{' '}
              {failed.isFinal ? 'No attempt is left.' : 'They may be tried again.'}
            </>
          ) : (
            'The questions have to be passed, and were not yet.'
          )}
        </li>
      )}
      <li data-met={completedAt !== null}>
        {completedAt ? (
          <>
            Completed on <DateTime iso={completedAt} />.
          </>
        ) : (
          'Not completed.'
        )}
      </li>
    </ul>
  )
}

const fewest = 12

type MissingProps = Pick<EvidenceVersion, 'unheard'> & {
  ranges: EvidenceVersion['lanes']['missing']
  name: string
}

function Missing({ ranges, unheard, name }: MissingProps) {
  const [isWhole, setWhole] = useState(false)
  if (ranges.length === 0) return null
  const shown = isWhole ? ranges : ranges.slice(0, fewest)
  return (
    <div>
      <h3>Missing</h3>
      {unheard && (
        <p>
          {name} has not heard: <Said language={unheard.language} text={unheard.text} />
        </p>
      )}
      <ul className={unheard ? shapes.stack : shapes.grid}>
        {shown.map((range, at) => (
          <li key={range[0]}>
            {formatPart(range)}
            {unheard && <Said language={unheard.language} text={unheard.parts[at] ?? ''} isBelow />}
          </li>
        ))}
      </ul>
      {shown.length < ranges.length && (
        <button type="button" className={shapes.link} onClick={() => setWhole(true)}>
          Show all {ranges.length} parts
        </button>
      )}
    </div>
  )
}

type SaidProps = { language: string; text: string; isBelow?: boolean }

/** The words of the video itself. */
function Said({ language: tag, text, isBelow = false }: SaidProps) {
  if (text === '') return null
  const words = (
    <q lang={tag} dir="auto">
      {text}
    </q>
  )
  return isBelow ? <p className={shapes.hint}>{words}</p> : words
}

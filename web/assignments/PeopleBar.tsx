import { Link } from '@tanstack/react-router'
import type { Assignment } from '#contract/assignments/assignments.ts'
import { formatNumber } from '#web/ui/format.ts'
import { plotTone, ShareBar } from '#web/ui/figures/ShareBar.tsx'
import ink from '#web/ui/look/ink.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import share from '#web/ui/figures/ShareBar.module.css'
import { drawnOf, obligationLabels, partsOf } from '#web/duty/labels.ts'

type Counted = Pick<Assignment, 'people' | 'counts'>

/** Shows where its people stand. Every person is in exactly one part, and each part leads to its people. */
export function PeopleBar({ assignment }: { assignment: Counted }) {
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-label="Where its people stand">
      <PeopleParts assignment={assignment} to="." />
    </section>
  )
}

/** Draws the bar alone; `to` is the page with its people. */
export function PeopleParts({ assignment, to }: { assignment: Counted; to: string }) {
  const parts = partsOf(assignment).filter(({ value }) => value > 0)
  return (
    <>
      {/* All in one part are said in words alone. */}
      {parts.length > 1 && <ShareBar parts={drawnOf(assignment)} total={assignment.people} />}
      <p className={shapes.row} style={{ columnGap: 20 }}>
        {parts.map(({ state, tone, value }) => (
          <span key={state} className={`${shapes.named} ${ink.ink}`} style={{ gap: 6 }}>
            {parts.length > 1 && <span className={share.key} data-plot={plotTone(tone)} aria-hidden />}
            <Link to={to} search={{ state }} style={{ lineHeight: '24px' }}>
              {formatNumber(value)} {obligationLabels[state].word}
            </Link>
          </span>
        ))}
      </p>
    </>
  )
}

import { Link } from '@tanstack/react-router'
import type { PathStep, readAssignment } from '#contract/assignments/assignments.ts'
import type { Reply } from '#contract/endpoint.ts'
import { paths } from '#web/paths.ts'
import { plural } from '#web/ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { assignmentLabels } from '#web/duty/labels.ts'
import { PeopleParts } from './PeopleBar.tsx'

type Whole = Reply<typeof readAssignment>

/** Shows what comes before and after an assignment, in order, each with where its people stand. */
export function Steps({ assignment }: { assignment: Whole }) {
  const { path } = assignment
  if (path.length === 0) return null
  return (
    <section className={shapes.stack} aria-labelledby="path">
      <h2 id="path">Path</h2>
      <ol className={`${shapes.card} ${shapes.ruled}`}>
        {path.map((step, at) => (
          <li key={step.id} className={`${shapes.pad} ${shapes.stack}`}>
            <StepHead {...{ assignment, step, at }} />
            {step.people > 0 ? (
              <PeopleParts
                assignment={step}
                to={step.id === assignment.id ? '.' : paths.assignment(assignment.organizationId, step.id)}
              />
            ) : (
              <p className={shapes.hint}>
                {step.state === 'draft' ? 'Nobody begins before it is started.' : 'Nobody has started yet.'}
              </p>
            )}
            {step.id === assignment.id && <Waiting assignment={assignment} />}
          </li>
        ))}
      </ol>
    </section>
  )
}

type HeadProps = { assignment: Whole; step: PathStep; at: number }

function StepHead({ assignment, step, at }: HeadProps) {
  const { path, organizationId } = assignment
  const { word, tone, means } = assignmentLabels[step.state]
  // Where several assignments wait for the same one, the order alone does not tell.
  const earlier = path.find(({ id }) => id === step.waitsForId)
  const isFork = earlier !== undefined && earlier.id !== path[at - 1]?.id
  return (
    <div className={shapes.row}>
      <span>{at + 1}.</span>
      {step.id === assignment.id ? (
        <strong aria-current="page">{step.name}</strong>
      ) : (
        <Link to={paths.assignment(organizationId, step.id)}>{step.name}</Link>
      )}
      {isFork && <span className={shapes.hint}>after {earlier.name}</span>}
      <StatusBadge tone={tone} title={means}>
        {word}
      </StatusBadge>
    </div>
  )
}

/** Says how many of the audience have not begun, and why. */
function Waiting({ assignment: { waiting, waitsFor, state } }: { assignment: Whole }) {
  if (waitsFor === null || waiting === 0 || state === 'ended') return null
  const people = plural(waiting, 'person has', 'people have')
  return (
    <p>
      {waitsFor.state === 'ended'
        ? `${people} not started and will not: “${waitsFor.name}” has ended.`
        : `${people} not started: they have yet to complete “${waitsFor.name}”.`}
    </p>
  )
}

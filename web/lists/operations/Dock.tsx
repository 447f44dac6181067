import { Button, CloseButton } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconProgress } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { cancelOperation, readOperation, type Operation } from '#contract/operations.ts'
import { attempt } from '#web/api/attempt.ts'
import { ApiError } from '#web/api/errors.ts'
import { refreshAll, useChange } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { formatNumber } from '#web/ui/format.ts'
import { useLife } from '#web/ui/browser/life.ts'
import { TimeLeft } from '#web/ui/feedback/Toasts.tsx'
import classes from './Dock.module.css'
import { useProgress } from './progress.ts'
import { started, type Started } from './started.ts'
import { takeBack } from './undo.ts'
import { isWorking, titleOf } from './titles.ts'
import { summaryOf } from './labels.ts'
import toastClasses from '#web/ui/feedback/Toasts.module.css'
import shapes from '#web/ui/look/shapes.module.css'

/** Milliseconds for which an outcome is told: longer where it can be taken back. */
const lifeOf = ({ undoUntil }: Operation) => (undoUntil ? 30_000 : 10_000)

/** Progress of what was begun here, on every page, and then its outcome, which is told once and goes. */
export function Dock({ these }: { these: readonly Started[] }) {
  return these.map((one) => <Card key={one.id} {...one} />)
}

function Card({ id, ended, until }: Started) {
  const { operation, error } = useProgress(id)
  const card = useLife<HTMLElement>(until, () => started.drop(id))
  useEffect(() => {
    if (operation && !isWorking(operation) && operation.state !== ended)
      started.end(id, operation.state, lifeOf(operation))
  }, [id, operation, ended])
  // Somebody else's, or long forgotten: as if it had never been here.
  const isGone = error instanceof ApiError && operation === undefined
  useEffect(() => {
    if (isGone) started.drop(id)
  }, [id, isGone])
  if (!operation) return null
  const isOn = isWorking(operation)
  const isFine = operation.state === 'done' || operation.state === 'undone'
  const Icon = isOn ? IconProgress : isFine ? IconCircleCheck : IconAlertTriangle
  return (
    <article
      ref={card}
      className={`${shapes.rise} ${toastClasses.toast}`}
      data-float
      data-part="toast"
      data-operation={id}
      data-tone={isOn ? 'info' : isFine ? 'success' : 'warning'}
    >
      <Icon size={20} aria-hidden />
      <div className={`${shapes.grow} ${classes.text}`}>
        <h2>{titleOf(operation)}</h2>
        {isOn ? <Going operation={operation} /> : <Ended operation={operation} />}
      </div>
      {!isOn && <CloseButton size="md" aria-label="Put this away" onClick={() => started.drop(id)} />}
      {until !== null && <TimeLeft key={until} until={until} />}
    </article>
  )
}

function Going({ operation }: { operation: Operation }) {
  const { id, state, done, total } = operation
  const cancel = useChange(cancelOperation, [readOperation])
  const stop = () => attempt(() => cancel.mutateAsync({ params: { operationId: id } }))
  return (
    <>
      <progress value={done} max={Math.max(total, 1)} aria-label={titleOf(operation)} />
      <p className={shapes.hint}>
        {state === 'queued' ? 'About to begin' : `${formatNumber(done)} of ${formatNumber(total)}`}
        {state === 'cancelling' && ', stopping'}
      </p>
      <div className={shapes.row}>
        <Button component={Link} to={paths.operation(id)} variant="subtle" size="compact-sm">
          Details
        </Button>
        {(state === 'running' || state === 'queued') && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            loading={cancel.isPending}
            onClick={() => void stop()}
          >
            Stop
          </Button>
        )}
      </div>
    </>
  )
}

function Ended({ operation }: { operation: Operation }) {
  const { id, undoUntil } = operation
  const [isAsked, setAsked] = useState(false)
  const undo = async () => {
    setAsked(true)
    await takeBack(id)
    await refreshAll([readOperation])
    setAsked(false)
  }
  return (
    <>
      <p className={shapes.hint}>{summaryOf(operation)}</p>
      <div className={shapes.row}>
        <Button component={Link} to={paths.operation(id)} variant="subtle" size="compact-sm">
          See results
        </Button>
        {undoUntil && (
          <Button variant="subtle" size="compact-sm" loading={isAsked} onClick={() => void undo()}>
            Undo
          </Button>
        )}
      </div>
    </>
  )
}

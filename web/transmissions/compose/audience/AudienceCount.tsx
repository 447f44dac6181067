import { Button } from '@mantine/core'
import type { Reply } from '#contract/endpoint.ts'
import {
  skipReasons,
  type AudienceCount as Count,
  type previewAudience,
} from '#contract/transmissions/transmissions.ts'
import { sentence } from '#web/api/errors.ts'
import { formatNumber, plural } from '#web/ui/format.ts'
import { approverText, skipLabels } from '../../labels.ts'
import classes from './AudienceCount.module.css'

type Props = {
  /** Leaves out who has completed the video; undefined where that cannot be chosen. */
  onLeaveOut: (() => void) | undefined
  count: Reply<typeof previewAudience> | undefined
  isCounting: boolean
  error: Error | null
}

/** Shows the exact number, and everybody who is left out, by reason. */
export function AudienceCount({ count, isCounting, error, onLeaveOut }: Props) {
  if (error) return <div className={classes.count}>{sentence(error)}</div>
  return (
    <div className={classes.count} role="status" aria-busy={isCounting}>
      {count ? (
        <>
          <Counted {...count} />
          {count.completed > 0 && <Completed n={count.completed} onLeaveOut={onLeaveOut} />}
          {count.approval && <Asks {...count.approval} />}
        </>
      ) : (
        <p>{isCounting ? 'Counting…' : 'Choose people or groups: here you see how many get it.'}</p>
      )}
    </div>
  )
}

/** Says how many people have completed the video already, and would learn nothing new. */
function Completed({ n, onLeaveOut }: Pick<Props, 'onLeaveOut'> & { n: number }) {
  return (
    <p>
      {plural(n, 'of them has', 'of them have')} completed this video already.{' '}
      {onLeaveOut && (
        <Button variant="default" size="xs" onClick={onLeaveOut}>
          Leave {n === 1 ? 'this person' : 'them'} out
        </Button>
      )}
    </p>
  )
}

type ApprovalNotice = NonNullable<Reply<typeof previewAudience>['approval']>

/** Says that it will wait for approval, and by whom. */
function Asks({ above, ...approvers }: ApprovalNotice) {
  const who = approverText(approvers)
  return (
    <p className={classes.asks}>
      <strong>It will wait for approval,</strong>{' '}
      {above === 0
        ? 'as every transmission of this organization does.'
        : `as it goes to more than ${plural(above, 'recipient')}.`}{' '}
      {who === null
        ? 'Nobody can give it at the moment: another administrator is needed.'
        : `It can be given by ${who}.`}
    </p>
  )
}

export function Counted({ recipients, skipped, overlaps, excepted, sample }: Count) {
  const names = sample.map(({ name }) => name)
  const more = recipients - names.length
  return (
    <>
      <strong>
        {recipients === 0 ? 'Nobody gets it' : `${plural(recipients, 'person gets', 'people get')} it`}
      </strong>
      {names.length > 0 && (
        <p>
          {names.join(', ')}
          {more > 0 && ` and ${formatNumber(more)} more`}
        </p>
      )}
      <ul>
        {skipReasons.map((reason) => {
          const n = skipped[reason] ?? 0
          return n > 0 && <li key={reason}>{`${formatNumber(n)} left out: ${skipLabels[reason]}`}</li>
        })}
        {excepted > 0 && <li>{formatNumber(excepted)} left out: your exceptions</li>}
        {overlaps > 0 && (
          <li>{plural(overlaps, 'person is', 'people are')} chosen more than once and counted once</li>
        )}
      </ul>
    </>
  )
}

import { Button } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { formatDayOfYear } from '#contract/platform/format.ts'
import { trainingLead } from '#contract/matrix/training-labels.ts'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import shapes from '#web/ui/shapes.module.css'

type Props = { on: string; toNow: () => void }

const ToNow = ({ toNow }: Pick<Props, 'toNow'>) => (
  <Button variant="default" onClick={toNow}>
    Show it as it is now
  </Button>
)

/** Above a matrix of an earlier day. */
export function Past({ on, toNow }: Props) {
  return (
    <Notice tone="info" icon={IconHistory} action={<ToNow toNow={toNow} />}>
      This is how the matrix read at the end of {formatDayOfYear(on)}. What became known later is not in it.
      Names, groups and projects are those of now.
    </Notice>
  )
}

/** In place of a day that cannot be shown. */
export function NoSuchDay({ on, toNow, why }: Props & { why: string }) {
  return (
    <>
      <PageHead title="Training Matrix" lead={trainingLead} />
      <div className={shapes.card} role="alert">
        <EmptyState
          title={`The matrix of ${formatDayOfYear(on)} cannot be shown`}
          icon={<IconHistory size={24} />}
          action={<ToNow toNow={toNow} />}
        >
          {why}
        </EmptyState>
      </div>
    </>
  )
}

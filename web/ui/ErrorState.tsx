import { Button } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import shapes from './shapes.module.css'
import emptyClasses from './EmptyState.module.css'

type Props = {
  title: string
  detail?: string
  /** Given only where another try can help. */
  onRetry?: (() => void) | undefined
}

/** Stands where content could not be fetched. */
export function ErrorState({ title, detail, onRetry }: Props) {
  return (
    <div className={`${shapes.missing} ${emptyClasses.empty}`} role="alert">
      <span className={emptyClasses.icon} data-tone="danger" aria-hidden>
        <IconAlertTriangle size={24} />
      </span>
      <h2>{title}</h2>
      {detail && <p>{detail}</p>}
      {onRetry && (
        <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

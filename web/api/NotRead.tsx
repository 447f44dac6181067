import { ErrorState } from '../ui/ErrorState.tsx'
import { Bone } from '../ui/Skeletons.tsx'
import { explain } from './errors.ts'

type Props = { error: unknown; retry?: () => void; height?: number }

/** In place of what has not been read: a grey bar of its height, or why it could not be. */
export function NotRead({ error, retry, height = 0 }: Props) {
  return error ? <ErrorState {...explain(error)} onRetry={retry} /> : <Bone height={height} />
}

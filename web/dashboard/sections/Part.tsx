import { QueryErrorResetBoundary } from '@tanstack/react-query'
import { Component, Suspense, type ReactNode } from 'react'
import { NotRead } from '../../api/NotRead.tsx'
import { Bone } from '../../ui/feedback/Skeletons.tsx'
import styles from './Part.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  /** As its heading calls it. */
  title: string
  /** About as many lines as it will have, so that nothing moves when it comes. */
  lines?: number
  /** Its lines are people with their strips. */
  hasStrips?: boolean
  children: ReactNode
}

/** A part of a dashboard: it waits and fails alone, and is tried again in its own place. */
export function Part({ title, lines = 4, hasStrips = false, children }: Props) {
  return (
    <QueryErrorResetBoundary>
      {({ reset }) => (
        <Boundary title={title} onRetry={reset}>
          <Suspense fallback={<Waiting title={title} lines={lines} hasStrips={hasStrips} />}>
            {children}
          </Suspense>
        </Boundary>
      )}
    </QueryErrorResetBoundary>
  )
}

type BoundaryProps = { title: string; onRetry: () => void; children: ReactNode }

class Boundary extends Component<BoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  private readonly again = () => {
    this.props.onRetry()
    this.setState({ error: null })
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return <NotRead error={error} about={this.props.title} retry={this.again} />
  }
}

/** Stands for what is not there yet. */
export function Waiting({ title, lines = 4, hasStrips = false }: Omit<Props, 'children'>) {
  const widthOf = (line: number) => `${92 - ((line * 17) % 40)}%`
  return (
    <div
      className={`${shapes.card} ${shapes.pad} ${shapes.stack}`}
      role="status"
      aria-label={`Loading: ${title}`}
    >
      <Bone width="160px" height={20} />
      {Array.from({ length: lines }, (_, line) =>
        hasStrips ? (
          <span key={line} className={styles.row}>
            <Bone width={widthOf(line)} />
            <Bone height={8} />
            <Bone />
          </span>
        ) : (
          <Bone key={line} width={widthOf(line)} />
        ),
      )}
    </div>
  )
}

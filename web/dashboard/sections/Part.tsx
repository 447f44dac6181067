import { QueryErrorResetBoundary } from '@tanstack/react-query'
import { Component, Suspense, type ReactNode } from 'react'
import { explain } from '../../api/errors.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Bone } from '../../ui/Skeletons.tsx'
import './sections.css'

type Props = {
  /** As its heading calls it. */
  title: string
  /** About as many lines as it will have, so that nothing moves when it comes. */
  lines?: number
  children: ReactNode
}

/** A part of a dashboard: it waits and fails alone, and is tried again in its own place. */
export function Part({ title, lines = 4, children }: Props) {
  return (
    <QueryErrorResetBoundary>
      {({ reset }) => (
        <Boundary title={title} onRetry={reset}>
          <Suspense fallback={<Waiting title={title} lines={lines} />}>{children}</Suspense>
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
    const { title, detail } = explain(error)
    return (
      <div className="ui-card board-failed">
        <ErrorState
          title={`${this.props.title}: not there right now`}
          detail={[title, detail].filter(Boolean).join('. ')}
          onRetry={this.again}
        />
      </div>
    )
  }
}

function Waiting({ title, lines }: { title: string; lines: number }) {
  return (
    <div className="ui-card board-waiting" role="status" aria-label={`Loading: ${title}`}>
      <Bone width="160px" height={20} />
      {Array.from({ length: lines }, (_, line) => (
        <Bone key={line} width={`${92 - ((line * 17) % 40)}%`} />
      ))}
    </div>
  )
}

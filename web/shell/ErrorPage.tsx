import { Button } from '@mantine/core'
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { ApiError, explain } from '#web/api/errors.ts'
import { paths } from '#web/paths.ts'
import { product } from '#web/ui/product.ts'
import { faceOf, faces, type FaceStatus } from './faces.ts'
import { FacePicture } from './FacePicture.tsx'

type Props = { status: FaceStatus; title?: string; detail?: string; onRetry?: (() => void) | undefined }

/** A page in place of the page that could not be shown. */
export function ErrorPage({ status, title, detail, onRetry }: Props) {
  const face = faces[status]
  const headline = title ?? face.headline
  return (
    <div className="face">
      <title>{`${headline} · ${product.name}`}</title>
      <FacePicture status={status} />
      <h1 tabIndex={-1}>{headline}</h1>
      <p>{detail || face.sentence}</p>
      <div className="face-actions">
        {onRetry && (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button component={Link} to={paths.dashboard()}>
          Go to the dashboard
        </Button>
      </div>
    </div>
  )
}

/** What the router draws when a loader or a page has failed. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const retry = () => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  if (
    error instanceof ApiError &&
    error.kind === 'problem' &&
    error.status !== undefined &&
    error.status < 500 &&
    error.status !== 429
  )
    return (
      <ErrorPage
        status={faceOf(error.status)}
        {...detailOf(error)}
        onRetry={explain(error).retry ? retry : undefined}
      />
    )
  const { title, detail } = explain(error)
  return (
    <ErrorPage
      status={error instanceof ApiError && error.kind === 'timeout' ? 408 : 500}
      title={title}
      detail={detail}
      onRetry={retry}
    />
  )
}

function detailOf(error: ApiError): { detail: string } {
  const { title, detail } = explain(error)
  return { detail: [title, detail].filter(Boolean).join(' ') }
}

export function NotFound() {
  return <ErrorPage status={404} />
}

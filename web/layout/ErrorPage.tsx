import { Button } from '@mantine/core'
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { useEffect, useState, type ComponentType } from 'react'
import { ApiError, explain } from '#web/api/errors.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { session } from '#web/api/session.ts'
import { visits } from '#web/api/visits.ts'
import { paths } from '#web/paths.ts'
import type { FrameProps } from '#web/ui/PageFrame.tsx'
import { product } from '#web/ui/product.ts'
import classes from './Face.module.css'
import { Face } from './Face.tsx'
import { faceOf, faces, type FaceName } from './faces.ts'

type Props = {
  name: FaceName
  code?: number | undefined
  headline: string
  sentence: string
  reference?: string | undefined
  /** Given only where another try can help; else the way leads to the dashboard. */
  onRetry?: (() => void) | undefined
  retryLabel?: string
}

/** A page in place of the page that could not be shown. */
function ErrorPage({ onRetry, retryLabel = 'Try again', ...face }: Props) {
  return (
    <>
      <title>{`${face.headline} · ${product.name}`}</title>
      <Face {...face}>
        {onRetry ? (
          <Button onClick={onRetry}>{retryLabel}</Button>
        ) : (
          <Button component={Link} to={paths.dashboard()}>
            Go to the dashboard
          </Button>
        )}
      </Face>
    </>
  )
}

/** What has no address of its own: the picture that it shares, and what it is called. */
const others: Record<number, Pick<Props, 'name' | 'headline'>> = {
  409: { name: 400, headline: 'Not Possible Now' },
  410: { name: 404, headline: 'No Longer Here' },
  412: { name: 'updated', headline: 'Changed in the Meantime' },
  413: { name: 400, headline: 'Too Large' },
  423: { name: 401, headline: 'Locked' },
  502: { name: 'wait', headline: 'Please Wait a Moment' },
  503: { name: 'wait', headline: 'Please Wait a Moment' },
  504: { name: 'wait', headline: 'Please Wait a Moment' },
}

/** What is wrong, in the face that fits. */
function faceFor(error: unknown): Omit<Props, 'onRetry'> {
  const { title, detail } = explain(error)
  if (!(error instanceof ApiError)) return { name: 500, ...faces[500], sentence: detail }
  const { kind, status, problem } = error
  if (kind === 'network') return { name: 'offline', headline: title, sentence: detail }
  if (kind === 'timeout') return { name: 'wait', headline: title, sentence: detail }
  const other = status === undefined ? undefined : others[status]
  if (other)
    return {
      ...other,
      // Waiting is no error.
      code: other.name === 'wait' ? undefined : status,
      sentence: [title, detail].filter(Boolean).join(/[.!?]$/.test(title) ? ' ' : '. '),
      reference: problem?.requestId,
    }
  if (kind === 'unparseable') return { name: 'unreadable', headline: title, sentence: detail }
  if (status === 429) return { name: 'wait', headline: 'Please wait', sentence: `${title} ${detail}`.trim() }
  const name = faceOf(status)
  const isOurs = name === 500
  return {
    name,
    headline: isOurs ? title : faces[name].headline,
    sentence: isOurs ? detail || faces[500].sentence : [title, detail].filter(Boolean).join(' '),
    reference: isOurs ? problem?.requestId : undefined,
  }
}

/** Any failure, drawn as a page. */
export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const mayRetry = !(error instanceof ApiError) || explain(error).retry
  return <ErrorPage {...faceFor(error)} onRetry={mayRetry ? onRetry : undefined} />
}

type RouteErrorProps = ErrorComponentProps & {
  /** Of the page, which stays where only nothing came through. */
  frame?: ComponentType<FrameProps> | undefined
}

/** What browsers, and the build's own loader of styles, say about a file that could not be fetched. */
const messages =
  /^(Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS)/i

/** Whether a part of the console could not be fetched: gone after an update of the server, or no connection. */
function isLostChunk(error: unknown): boolean {
  return error instanceof Error && messages.test(error.message)
}

/** The script that this page was started with; every build names it anew. */
function startScript(): string {
  return document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src') ?? ''
}

const key = 'reloaded-for'

/** Reloads the page when the server has another build than the one that runs here: once for each build, so never in a loop. */
async function reloadIfUpdated(): Promise<'reloading' | 'updated' | 'same' | 'unreachable'> {
  const script = startScript()
  try {
    const answer = await fetch(location.href, { cache: 'no-store', headers: { accept: 'text/html' } })
    if ((await answer.text()).includes(script)) return 'same'
    if (sessionStorage.getItem(key) === script) return 'updated'
    sessionStorage.setItem(key, script)
    location.reload()
    return 'reloading'
  } catch {
    return 'unreachable'
  }
}

/** What the router draws when a loader or a page has failed. */
export function RouteError({ error, reset, frame: Frame }: RouteErrorProps) {
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const isGone = error instanceof ApiError && error.status === 404
  useEffect(() => {
    const { user } = session.read()
    if (isGone && user) visits.drop(user.id, location.pathname)
  }, [isGone])
  const retry = () => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  if (isLostChunk(error)) return <LostChunk onRetry={retry} />
  if (Frame && error instanceof ApiError && explain(error).retry)
    return <Frame lost={<NotRead error={error} retry={retry} />} />
  // A mistake of the page would be made again from the same data; a call is worth another try.
  return <Failure error={error} onRetry={error instanceof ApiError ? retry : () => location.reload()} />
}

/** The same where nothing is around it. */
export function RouteErrorAlone(props: ErrorComponentProps) {
  return (
    <main className={classes.alone}>
      <RouteError {...props} />
    </main>
  )
}

/** The page had been left for this one already, so a reload takes nothing that was typed. */
function LostChunk({ onRetry }: { onRetry: () => void }) {
  const [found, setFound] = useState<Awaited<ReturnType<typeof reloadIfUpdated>>>()
  useEffect(() => {
    void reloadIfUpdated().then(setFound)
  }, [])
  if (found === undefined || found === 'reloading') return null
  if (found === 'updated')
    return (
      <ErrorPage
        name="updated"
        headline={`${product.name} has been updated`}
        sentence="This page belongs to an earlier version. Reload it to go on with the new one."
        onRetry={() => location.reload()}
        retryLabel="Reload the page"
      />
    )
  return (
    <ErrorPage
      name="offline"
      headline="A part of this page is missing"
      sentence="It could not be fetched. Please check the connection of this device, then try again."
      onRetry={found === 'same' ? () => location.reload() : onRetry}
    />
  )
}

export function NotFound() {
  return <ErrorPage name={404} {...faces[404]} />
}

/** When everything else has failed, with nothing that could fail again. */
export function LastResort() {
  return (
    <main className={classes.alone}>
      <Face
        name={500}
        {...faces[500]}
        sentence="This page ran into a mistake of its own. Please load it again."
      >
        <button type="button" className={classes.button} onClick={() => location.reload()}>
          Try again
        </button>
      </Face>
    </main>
  )
}

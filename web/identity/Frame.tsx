import { useSyncExternalStore, type ReactNode } from 'react'
import { paths } from '#web/paths.ts'
import { LogoMark, LogoName } from '#web/ui/Logo.tsx'
import { product } from '#web/ui/product.ts'
import { goTo } from './navigate.ts'
import classes from './public.module.css'

type FrameProps = {
  children: ReactNode
  isWide?: boolean
  /** Beside the logo. */
  action?: ReactNode
}

/** Logo above, copyright below: the same around every public page. */
export function Frame({ children, isWide = false, action }: FrameProps) {
  return (
    <div className={classes.frame} data-wide={isWide || undefined}>
      <header>
        <a href={paths.home()} className={classes.brand} aria-label={`${product.name} start page`}>
          <LogoMark size={32} />
          <LogoName className={classes.name} />
        </a>
        {action}
      </header>
      <main>{children}</main>
      <Copyright />
    </div>
  )
}

/** The year is not that of the build. */
const thisYear = () => String(new Date().getFullYear())
const never = () => () => undefined

function Copyright() {
  const year = useSyncExternalStore(never, thisYear, () => '')
  return (
    <footer>
      © {year} {product.name} - by {product.provider}
    </footer>
  )
}

type CardProps = { title: string; lead?: ReactNode; children?: ReactNode; foot?: ReactNode }

/** One thing to do, in one card. */
export function Card({ title, lead, children, foot }: CardProps) {
  return (
    <Frame>
      <div className={classes.card}>
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p className={classes.lead}>{lead}</p>}
        {children}
      </div>
      {foot && <p className={classes.aside}>{foot}</p>}
    </Frame>
  )
}

/** A link between public pages. */
export function PageLink({
  to,
  children,
  className,
  isQuiet = false,
}: {
  to: string
  children: ReactNode
  className?: string | undefined
  isQuiet?: boolean
}) {
  return (
    <a
      href={to}
      className={className}
      data-quiet={isQuiet || undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        goTo(to)
      }}
    >
      {children}
    </a>
  )
}

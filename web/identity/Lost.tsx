import { paths } from '#web/paths.ts'
import { Card, PageLink } from './Frame.tsx'
import classes from './public.module.css'

/** The steps of a sign-in live in the window that began it. */
export function Lost() {
  return (
    <Card
      title="Please sign in again"
      lead="The second step follows the password, in the same window and within ten minutes. That beginning is not here any more."
    >
      <PageLink to={paths.signIn()} className={classes.button}>
        Start again
      </PageLink>
    </Card>
  )
}

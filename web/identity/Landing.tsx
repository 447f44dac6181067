import face from '#web/layout/Face.module.css'
import { paths } from '#web/paths.ts'
import { product } from '#web/ui/product.ts'
import { Frame, PageLink } from './Frame.tsx'
import { KnowPicture, SendPicture, WatchPicture } from './LandingPictures.tsx'
import classes from './public.module.css'

const points = [
  {
    title: 'Send',
    text: 'Choose a video, write a few words, pick people, groups or everybody. Each gets a personal link by mail, and needs no account.',
    picture: <SendPicture />,
  },
  {
    title: 'Watch',
    text: 'The video plays on any phone or computer: quick to start, adapted to the connection, with nothing to install.',
    picture: <WatchPicture />,
  },
  {
    title: 'Know',
    text: 'See by name who opened it, which seconds they watched and which they skipped, while they watch.',
    picture: <KnowPicture />,
  },
]

/** The seconds that four people have watched, of the 300 on the drawing. */
const viewers = [
  { name: 'Ada', share: 100, state: 'Completed', parts: [[0, 300]] },
  {
    name: 'Mary',
    share: 64,
    state: 'Watching',
    parts: [
      [0, 108],
      [156, 240],
    ],
  },
  { name: 'Grace', share: 21, state: 'Started', parts: [[0, 63]] },
  { name: 'Joan', share: 0, state: 'Not opened', parts: [] },
] as const

/** What the product is, on one page. */
export function Landing() {
  return (
    <Frame isWide action={<SignInLink isQuiet />}>
      <div className={classes.landing}>
        <div>
          <p className={face.code}>Video with proof of viewing</p>
          <h1 tabIndex={-1}>Send a video. See who watched which seconds.</h1>
          <p className={classes.lead}>
            {product.name} brings training and messages to people as video, and shows what arrived: not
            clicks, but the parts that were really watched.
          </p>
          <SignInLink />
        </div>
        <Strips />
      </div>
      <ul className={classes.points}>
        {points.map(({ title, text, picture }) => (
          <li key={title}>
            {picture}
            <h2>{title}</h2>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <p className={classes.end}>
        Runs on a machine of your own. No host but yours is ever asked, neither by this console nor by the
        people who watch.
      </p>
    </Frame>
  )
}

function SignInLink({ isQuiet = false }) {
  return (
    <PageLink to={paths.signIn()} className={classes.button} isQuiet={isQuiet}>
      Sign in
    </PageLink>
  )
}

/** The strip of what was watched, as the console shows it for every recipient. */
function Strips() {
  return (
    <figure className={`${classes.card} ${classes.strips}`}>
      <figcaption className={classes.row}>
        <span>Fire safety</span>
        <small>5 minutes, sent to 4 people</small>
      </figcaption>
      {viewers.map(({ name, share, state, parts }) => (
        <div key={name} className={classes.strip}>
          <b>{name}</b>
          <small>{state}</small>
          <svg viewBox="0 0 300 16" preserveAspectRatio="none" aria-hidden>
            {parts.map(([from, to]) => (
              <rect key={from} fill="var(--s-watched)" x={from} width={to - from} height="16" />
            ))}
          </svg>
          <span>{share}%</span>
        </div>
      ))}
      <div className={`${classes.row} ${classes.clock}`} aria-hidden>
        <small>0:00</small>
        <small>2:30</small>
        <small>5:00</small>
      </div>
    </figure>
  )
}

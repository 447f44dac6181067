import face from '#web/layout/Face.module.css'
import { paths } from '#web/paths.ts'
import { product } from '#web/ui/product.ts'
import { Frame, PageLink } from './Frame.tsx'
import classes from './public.module.css'
import type { ReactNode } from 'react'

/** In the colours of the skin. */
const ink = { fill: 'var(--c-ink)' }
const main = { fill: 'var(--c-primary-text)' }
const paleMain = { ...main, fillOpacity: 0.4 }
const pale = { fill: 'var(--c-primary-tint)' }
const card = { fill: 'var(--c-surface)' }
const line = {
  fill: 'none',
  stroke: 'var(--c-primary-text)',
  strokeWidth: 4,
  strokeLinecap: 'round',
} as const
const borderLine = { ...line, stroke: 'var(--c-border)' }

function Picture({ children }: { children: ReactNode }) {
  return (
    <svg viewBox="0 0 240 132" aria-hidden>
      {children}
    </svg>
  )
}

/** One video goes to three people, each by a line of their own. */
function SendPicture() {
  return (
    <Picture>
      <path {...line} d="M92 66c40 0 30-38 66-38M92 66h66M92 66c40 0 30 38 66 38" />
      <rect {...ink} x="24" y="38" width="84" height="56" rx="8" />
      <path {...pale} d="M58 54v24l20-12z" />
      {[28, 66, 104].map((y) => (
        <g key={y}>
          <rect {...card} x="158" y={y - 15} width="60" height="30" rx="6" />
          <circle {...main} cx="173" cy={y} r="7" />
          <path {...borderLine} d={`M186 ${y - 4}h22M186 ${y + 4}h14`} />
        </g>
      ))}
    </Picture>
  )
}

/** A phone before a screen, both at the same second. */
function WatchPicture() {
  return (
    <Picture>
      <path
        {...ink}
        d="M36 14h132a8 8 0 0 1 8 8v74a8 8 0 0 1-8 8h-44l4 14H76l4-14H36a8 8 0 0 1-8-8V22a8 8 0 0 1 8-8z"
      />
      <rect {...pale} x="36" y="22" width="132" height="74" rx="3" />
      <path {...main} d="M92 42v28l24-14z" />
      <path {...borderLine} d="M46 86h112" />
      <path {...line} d="M46 86h70" />
      <rect {...ink} x="158" y="34" width="56" height="94" rx="9" />
      <rect {...card} x="164" y="42" width="44" height="76" rx="3" />
      <path {...main} d="M180 66v22l18-11z" />
      <path {...borderLine} d="M170 108h32" />
      <path {...line} d="M170 108h20" />
    </Picture>
  )
}

/** Where each bar stands, and how often its seconds were watched. */
const bars = [4, 5, 5, 4, 4, 3, 3, 1, 0, 0, 1, 2, 4, 4, 3, 3, 2, 2].map(
  (count, n) => [32 + n * 10, count] as const,
)

/** A timeline with the seconds that were watched, and how often. */
function KnowPicture() {
  return (
    <Picture>
      <rect {...card} x="18" y="14" width="204" height="104" rx="8" />
      {bars.map(([at, count]) => (
        <rect
          key={at}
          {...(count > 3 ? main : paleMain)}
          x={at}
          y={78 - count * 10}
          width="6"
          height={Math.max(count * 10, 2)}
          rx="1"
        />
      ))}
      <rect {...pale} x="32" y="90" width="176" height="12" rx="3" />
      <path
        {...main}
        d="M35 90h67v12H35a3 3 0 0 1-3-3v-6a3 3 0 0 1 3-3zM142 90h63a3 3 0 0 1 3 3v6a3 3 0 0 1-3 3h-63z"
      />
    </Picture>
  )
}

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

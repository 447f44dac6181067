import { paths } from '#web/paths.ts'
import { product } from '#web/ui/product.ts'
import { Frame, PageLink } from './Frame.tsx'

const promises = [
  {
    title: 'Send',
    text: 'Choose a video, write a few words, pick people, groups or everybody. Each gets a personal link by mail, and needs no account.',
  },
  {
    title: 'Watch',
    text: 'The video plays on any phone or computer, quick to start and adapted to the connection.',
  },
  {
    title: 'Know',
    text: 'See by name who opened it, which seconds they watched and which they skipped, while they watch.',
  },
]

/** The seconds that three people have watched, from 0 to 300 on the drawing. */
const viewers = [
  { name: 'Ada', share: '100 %', parts: [[0, 300]] },
  {
    name: 'Mary',
    share: '64 %',
    parts: [
      [0, 108],
      [156, 240],
    ],
  },
  { name: 'Grace', share: '21 %', parts: [[0, 63]] },
] as const

/** What the product is, on one page. */
export function Landing() {
  return (
    <Frame isWide>
      <div className="landing">
        <div className="landing-head">
          <h1 tabIndex={-1}>Send a video. See who watched which seconds.</h1>
          <p className="lead">
            {product.name} brings training and messages to people as video, and shows what arrived: not
            clicks, but the parts that were really watched.
          </p>
          <PageLink to={paths.signIn()} className="button">
            Sign in
          </PageLink>
        </div>
        <Strips />
      </div>
      <ul className="promises">
        {promises.map(({ title, text }) => (
          <li key={title} className="card">
            <h2>{title}</h2>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </Frame>
  )
}

function Strips() {
  return (
    <figure className="card strips">
      <figcaption>Fire safety, 5 minutes</figcaption>
      {viewers.map(({ name, share, parts }) => (
        <div key={name} className="strip">
          <span>{name}</span>
          <svg viewBox="0 0 300 16" preserveAspectRatio="none" aria-hidden>
            <rect width="300" height="16" className="strip-all" />
            {parts.map(([from, to]) => (
              <rect key={from} x={from} width={to - from} height="16" className="strip-seen" />
            ))}
          </svg>
          <span>{share}</span>
        </div>
      ))}
    </figure>
  )
}

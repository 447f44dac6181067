/** What a model says of the sound, whatever the sound is: pieces of text, and between them the seconds at which they begin and end. */
type Said = (string | number)[]

type Shape = {
  state: number
  layers: number
  /** Numbers of its words: that of models for all languages, or one less for those that know English alone. */
  vocabulary: 51_865 | 51_864
}

const magic = 0x67_67_6d_6c
const ofAll = 51_865
const [mels, audioContext, textContext, fftBins] = [80, 1_500, 448, 201]
/** Numbers of tokens in models for all languages: those of others are one less. */
const tokens = { end: 50_257, start: 50_258, transcribe: 50_359, noTimes: 50_363, begin: 50_364 }
/** In the order of whisper.cpp, as far as tests ask for one. */
const languages = ['en', 'zh', 'de']
const strong = 64
/** As whisper.cpp numbers them. */
const [floats, halfFloats] = [0, 1]

type Options = Partial<Shape> & {
  /** Without it the model has weights of zero, and says nothing that makes sense. */
  says?: Said
  speaks?: 'en' | 'zh' | 'de'
}

/**
 * A model in the format of whisper.cpp that has not learnt anything. It says what it is told to, by way of its positions: each
 * place in the text has a direction of its own, and the token that follows there points to it. So everything is real but the weights.
 */
export function whisperModel({ says = [], speaks = 'en', ...shape }: Options = {}): Buffer {
  const { state = 64, layers = 1, vocabulary = ofAll } = shape
  const heads = Math.max(1, Math.floor(state / 64))
  const words = [' ', ...says.filter((piece) => typeof piece === 'string')]
  const parts: Buffer[] = [
    // Of listening: places, width, heads and layers; of writing: the same.
    integers(magic, vocabulary, audioContext, state, heads, 4),
    integers(textContext, state, heads, layers, mels, halfFloats),
    integers(mels, fftBins),
    Buffer.alloc(mels * fftBins * 4),
    integers(words.length),
    ...words.flatMap((word) => [integers(Buffer.byteLength(word)), Buffer.from(word)]),
  ]
  const shift = vocabulary === ofAll ? 0 : -1
  const language = tokens.start + 1 + languages.indexOf(speaks)
  // The text begins behind three tokens: that it begins, its language, and that it is written down.
  const before = vocabulary === ofAll ? [language, tokens.transcribe] : []
  const chain = [...before, ...says.map((piece) => tokenOf(piece, words)), tokens.end].map((token) =>
    token < tokens.end ? token : token + shift,
  )
  const positions = new Float32Array(state * textContext)
  const embedding = new Float32Array(state * vocabulary)
  if (says.length > 0)
    for (const [place, token] of chain.entries()) {
      const direction = Math.min(place, state - 1)
      positions[place * state + direction] = strong
      embedding[token * state + direction] = 1
    }
  const learnt = new Map([
    ['decoder.positional_embedding', positions],
    ['decoder.token_embedding.weight', embedding],
    ['decoder.ln.weight', new Float32Array(state).fill(1)],
  ])
  for (const [name, sides] of tensors({ state, layers, vocabulary })) {
    const length = sides.reduce((product, side) => product * side, 1)
    const values = learnt.get(name) ?? new Float32Array(length)
    const isHalf = sides.length > 1 && name.endsWith('weight')
    const bytes = isHalf ? new Float16Array(values) : values
    parts.push(integers(sides.length, name.length, isHalf ? halfFloats : floats, ...sides), Buffer.from(name))
    parts.push(Buffer.from(bytes.buffer))
  }
  return Buffer.concat(parts)
}

function tokenOf(piece: string | number, words: string[]): number {
  return typeof piece === 'number' ? tokens.begin + Math.round(piece * 50) : words.indexOf(piece)
}

function integers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeInt32LE(value, at * 4)
  return bytes
}

/** Names and sides of all weights, innermost first, as whisper.cpp asks for them. */
function* tensors({ state, layers, vocabulary }: Shape): Generator<[string, number[]]> {
  yield ['encoder.positional_embedding', [state, audioContext]]
  yield ['encoder.conv1.weight', [3, mels, state]]
  yield ['encoder.conv1.bias', [1, state]]
  yield ['encoder.conv2.weight', [3, state, state]]
  yield ['encoder.conv2.bias', [1, state]]
  yield* norm('encoder.ln_post', state)
  for (let layer = 0; layer < 4; layer += 1) yield* block(`encoder.blocks.${layer}`, state)
  yield ['decoder.positional_embedding', [state, textContext]]
  yield ['decoder.token_embedding.weight', [state, vocabulary]]
  yield* norm('decoder.ln', state)
  for (let layer = 0; layer < layers; layer += 1) {
    yield* block(`decoder.blocks.${layer}`, state)
    yield* attention(`decoder.blocks.${layer}.cross_attn`, state)
  }
}

function* block(name: string, state: number): Generator<[string, number[]]> {
  yield* norm(`${name}.mlp_ln`, state)
  yield [`${name}.mlp.0.weight`, [state, 4 * state]]
  yield [`${name}.mlp.0.bias`, [4 * state]]
  yield [`${name}.mlp.2.weight`, [4 * state, state]]
  yield [`${name}.mlp.2.bias`, [state]]
  yield* attention(`${name}.attn`, state)
}

function* attention(name: string, state: number): Generator<[string, number[]]> {
  yield* norm(`${name}_ln`, state)
  for (const part of ['query', 'key', 'value', 'out']) {
    yield [`${name}.${part}.weight`, [state, state]]
    // Keys have none.
    if (part !== 'key') yield [`${name}.${part}.bias`, [state]]
  }
}

function* norm(name: string, state: number): Generator<[string, number[]]> {
  yield [`${name}.weight`, [state]]
  yield [`${name}.bias`, [state]]
}

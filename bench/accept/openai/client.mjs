// Completes and streams through the proxy with the official Node client, unchanged. usage: client.mjs BASE_URL
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: process.argv[2], apiKey: 'none', maxRetries: 0 });
const messages = [{ role: 'user', content: 'Say something.' }];

const { data: completion, response } = await client.chat.completions
  .create({ model: 'demo-model', messages, max_tokens: 8 })
  .withResponse();
assert.ok(completion.choices[0].message.content);
const headroom = response.headers.get('x-llm-d-flow-band-headroom-requests');
assert.match(headroom, /^\d+$/);

let chunks = 0;
let text = '';
for await (const event of await client.chat.completions.create({ model: 'demo-model', messages, max_tokens: 8, stream: true })) {
  chunks++;
  text += event.choices[0]?.delta?.content ?? '';
}
assert.ok(chunks > 2 && text, `${chunks} chunks: ${text}`);

await assert.rejects(client.chat.completions.create({ model: 'no-such-model', messages }), { status: 404 });

console.log(`node client: headroom ${headroom}, ${chunks} chunks streamed`);

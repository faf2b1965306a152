"""Completes and streams through the proxy with the official Python client, unchanged. usage: client.py BASE_URL"""
import sys

from openai import APIStatusError, OpenAI

client = OpenAI(base_url=sys.argv[1], api_key="none", max_retries=0)

models = [model.id for model in client.models.list()]
assert "demo-model" in models, models

raw = client.chat.completions.with_raw_response.create(
    model="demo-model", messages=[{"role": "user", "content": "Say something."}], max_tokens=8)
completion = raw.parse()
assert completion.choices[0].message.content, completion
assert completion.usage.completion_tokens > 0, completion
headroom = raw.headers["x-llm-d-flow-band-headroom-requests"]
assert headroom.isdigit(), headroom

chunks = 0
text = ""
for event in client.chat.completions.create(
        model="demo-model", messages=[{"role": "user", "content": "Say something."}], max_tokens=8, stream=True):
    chunks += 1
    if event.choices and event.choices[0].delta.content:
        text += event.choices[0].delta.content
assert chunks > 2 and text, (chunks, text)

legacy = client.completions.create(model="demo-model", prompt="Say something.", max_tokens=4)
assert legacy.choices[0].text, legacy

try:
    client.chat.completions.create(model="no-such-model", messages=[{"role": "user", "content": "x"}])
    raise AssertionError("an unknown model was answered")
except APIStatusError as error:
    assert error.status_code == 404, error

print(f"python client: headroom {headroom}, {chunks} chunks streamed")

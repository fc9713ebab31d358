# frozen_string_literal: true

# What ext/holdup/unit/job_edges.c reads of a job of Sidekiq, in Ruby: the oracle of its test.
module JobEdges
  MILLISECONDS_FROM = 100_000_000_000
  NS_PER_S = 1_000_000_000
  NS_PER_MS = 1_000_000

  module_function

  # @return [Array(Object, String, Integer)] id, name, when it was ready; nil: unknown
  def facts(job)
    name = job["display_class"] || job["wrapped"] || job["class"]
    [job["wrapped"] ? id_of_wrapped(job) : job["jid"], name.to_s, ready_ns(job["enqueued_at"])]
  end

  # @return [Integer, nil] ns since 1970
  def ready_ns(enqueued_at)
    return unless enqueued_at.is_a?(Numeric)
    (enqueued_at * ((enqueued_at < MILLISECONDS_FROM) ? NS_PER_S : NS_PER_MS)).to_i
  end

  def id_of_wrapped(job)
    inner = job["args"].is_a?(Array) ? job["args"].first : nil
    (inner.is_a?(Hash) && inner["job_id"]) || job["jid"]
  end
end

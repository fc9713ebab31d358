# frozen_string_literal: true

# How a server is for the contract; the defaults are those of a cluster of two workers on
# test/integration/apps/plain.
module ServerDescription
  # @return [Array<String>] reads PORT
  def server_command
    raise(NotImplementedError, "which command starts the server?")
  end

  # @return [Hash{String => String}] gems of an application that does not know Holdup, with their versions
  def server_gems
    raise(NotImplementedError, "which gems does the server need?")
  end

  # @return [Hash{String => Object}] what the setting must say of it
  def server_facts
    raise(NotImplementedError, "what does the server say of itself?")
  end

  # @return [String] folder in test/integration/apps, or a path
  def server_app = "plain"

  # @return [Hash{String => String}] for both modes of starting
  def server_env = {}

  # @return [Hash{String => String}] further, for the server that is restarted
  def restarted_env = {}

  # @return [Array<Integer>] indexes of its workers; [-1] for a server without
  def server_workers = [0, 1]

  # @return [String] a path that is answered with 200, and the name of its unit
  def measured_path = "/orders"

  def measured_name = "GET /orders"

  # @return [Hash{String => Integer}] names of pools and their threads
  def server_pools
    {"web" => server_facts.fetch("threads", 1)}
  end

  # @return [Hash{String => Object}] names of levers and their values
  def server_levers = {}

  # Its ways of being restarted, one after the other in one server under load. Each gets the ServedApp and
  # returns when the restart is over: with assertions of what is new then (pids, generations).
  # @return [Hash{String => #call}]
  def server_restarts
    raise(NotImplementedError, "#{self.class} does not say how its server is restarted")
  end

  # @return [Symbol] the signal for a stop that finishes what it has begun
  def stop_signal = :TERM

  # @return [Boolean] whether its processes end as Ruby processes do (at_exit runs) after `stop_signal`
  def closes_segments? = true

  # @return [Regexp] lines of its log that are no trouble, because they are there without Holdup
  def harmless = /\A\z/

  def serve(**env, &)
    serve_by(server_command, **env, &)
  end

  def serve_by(command, **env, &)
    env = {"WORKERS" => server_workers.size.to_s, **server_env, **env.transform_keys(&:to_s)}
    ServedApp.serve(*command, app: server_app, env:, &)
  end
end

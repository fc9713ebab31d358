# frozen_string_literal: true

plugin :holdup unless ENV["WITHOUT_HOLDUP"]
bind "tcp://127.0.0.1:#{ENV.fetch("PORT")}"
threads(*[Integer(ENV.fetch("THREADS", "3"))] * 2)
workers((ENV["WORKERS"] == "auto") ? :auto : Integer(ENV.fetch("WORKERS", "0")))
preload_app! ENV["PRELOAD"] != "0"
fork_worker 0 if ENV["FORK_WORKER"]
max_io_threads 2 if ENV["IO_THREADS"]
worker_check_interval 1 # restarts wait for it
if ENV["ARMS"] # a name and a revision for each worker; one called "yjit" has it on
  hook = respond_to?(:before_worker_boot) ? :before_worker_boot : :on_worker_boot
  public_send(hook) do |index|
    ENV["HOLDUP_ARM"] = ENV["ARMS"].split(",")[index]
    ENV["REVISION"] = ENV["REVISIONS"]&.split(",")&.at(index)
    RubyVM::YJIT.enable if ENV["HOLDUP_ARM"] == "yjit"
  end
end
after_worker_fork { RubyVM::YJIT.enable } if ENV["WRONG_HOOK"] # it runs in the master
silence_single_worker_warning
# Ruby 3.4's IO#close can hang in a worker that stops; Puma kills it then.
worker_shutdown_timeout Integer(ENV.fetch("SHUTDOWN_TIMEOUT", "1"))

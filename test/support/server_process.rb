# frozen_string_literal: true

require "fileutils"
require_relative "free_ports"
require_relative "wait_until"

# What the real servers of tests share: a program as a child, with its log in a folder that goes away. A class
# defines `start`, which sets @folder and @pid and waits until it answers, `answers?`, and `installed?` of the
# class.
module ServerProcess
  HOST = "127.0.0.1"
  TRIES = 5
  TAKEN = /address already in use/i
  # Databases make and delete thousands of small files, which takes most of their CPU on a disk. Smaller ones
  # of a container would be full soon.
  MEMORY = "/dev/shm"
  MEMORY_KB = 1_000_000

  # Another process took the port between our look and the server's.
  PortTaken = Class.new(StandardError)

  def self.included(server) = server.extend(ServerStarts)

  # Methods of the classes.
  module ServerStarts
    # @return [Object] one for all tests of a run
    def shared
      @shared ||= new.start.tap { |server| Minitest.after_run { server.stop } }
    end

    # @return [Object] which answers; the caller stops it
    # @raise [RuntimeError] others always took its port
    def start(...)
      TRIES.times do
        return new(...).start
      rescue PortTaken
        next
      end
      raise "no free port for #{self} in #{TRIES} tries"
    end

    # @return [String] a new folder in memory, where there is enough of it. Its path is short: a socket's has
    #   at most 107 bytes
    def data_folder(prefix)
      free_kb = File.writable?(MEMORY) ? `df --output=avail #{MEMORY}`.lines.last.to_i : 0
      Dir.mktmpdir(prefix, (MEMORY if free_kb > MEMORY_KB))
    end

    # @return [Boolean] whether the program is in a folder of PATH
    def on_path?(program)
      ENV.fetch("PATH").split(":").any? { |dir| File.executable?(File.join(dir, program)) }
    end
  end

  # @return [Integer, nil] of its first process, while it runs
  attr_reader :pid

  # @return [String] with all its files
  attr_reader :folder

  # Ends without a goodbye to its clients.
  # @return [void]
  def crash = end_by(:KILL)

  # @return [void]
  def stop
    end_by(stop_signal)
  ensure
    FileUtils.rm_rf(@folder)
  end

  private

  # Nothing of it is needed again.
  def stop_signal = :KILL

  def end_by(signal)
    return unless @pid
    Process.kill(signal, @pid)
    Process.wait(@pid)
  rescue Errno::ESRCH, Errno::ECHILD
    nil
  ensure
    @pid = nil
  end

  def log_path = File.join(@folder, "log")

  def raise_unless_installed
    raise "no #{self.class} here: bin/setup --services installs it" unless self.class.installed?
  end

  def wait_until_it_answers
    deadline = now_s + WaitUntil::PATIENCE_S
    until answers?
      give_up if Process.wait(@pid, Process::WNOHANG) || now_s > deadline
      IO.select(nil, nil, nil, 0.02)
    end
  end

  def give_up
    log = File.read(log_path)
    stop
    raise PortTaken if self.class::TAKEN.match?(log)
    raise "#{self.class} does not answer:\n#{log}"
  end

  def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

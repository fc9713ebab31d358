# frozen_string_literal: true

module Storefront
  # The shop's own count of what it served: requests and errors of each endpoint. `bin/demo` compares Holdup's
  # figures with it. Each process has a file in the folder, and counts into memory that is mapped to it: that
  # takes no system call, so no thread gives up the GVL for it, and a killed process loses nothing.
  #
  # A file is a list of entries: a name, filled with zeros, and two unsigned numbers of 8 bytes. The first
  # entry, BEGUN, counts the requests that have begun and those that have ended; the others count what an
  # endpoint served and its errors, each error also as served.
  class Ledger
    NAME_BYTES = 48
    ENTRY_BYTES = NAME_BYTES + 16
    ENTRIES = 64
    BEGUN = "(begun and ended)"

    # @param app [#call] Rack
    # @param folder [String]
    def initialize(app, folder)
      @app = app
      @folder = folder
      @lock = Mutex.new
    end

    def call(env)
      add(BEGUN)
      status, = answer = @app.call(env)
      answer
    ensure
      served(env, failed: status.nil? || status >= 500)
      add(BEGUN, second: true)
    end

    private

    # What Holdup ignores, is ignored here as well.
    def served(env, failed:)
      controller, action = env["action_dispatch.request.path_parameters"]&.values_at(:controller, :action)
      return if controller.nil? || controller == "rails/health"
      name = "#{controller.camelize}Controller##{action}"
      add(name)
      add(name, second: true) if failed
    end

    def add(name, second: false)
      @lock.synchronize do
        open_file unless @pid == Process.pid
        at = @places[name] ||= new_entry(name)
        at += second ? NAME_BYTES + 8 : NAME_BYTES
        @memory.set_value(:u64, at, @memory.get_value(:u64, at) + 1)
      end
    end

    def new_entry(name)
      at = @places.size * ENTRY_BYTES
      @memory.set_string(name.byteslice(0, NAME_BYTES - 1), at)
      at
    end

    # A forked worker never counts in its parent's file.
    def open_file
      @pid = Process.pid
      @places = {}
      File.open(File.join(@folder, "#{@pid}.ledger"), "w+b") do |file|
        # A file without its pages would end the process where the disk is full.
        file.write("\0" * (ENTRIES * ENTRY_BYTES))
        file.flush
        @memory = without_warning { IO::Buffer.map(file) }
      end
    end

    # IO::Buffer still calls itself experimental.
    def without_warning
      before = Warning[:experimental]
      Warning[:experimental] = false
      yield
    ensure
      Warning[:experimental] = before
    end
  end
end

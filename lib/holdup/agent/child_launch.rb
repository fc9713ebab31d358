# frozen_string_literal: true

require "rbconfig"
require_relative "child_environment"
require_relative "working_folder"

module Holdup
  # How a command of ours is started at this moment. A server outlives the folder of its release: Capistrano
  # keeps five. Then the current folder, the Gemfile and perhaps our own executable are gone, and a child with
  # the same environment could not start. So each start looks at what is still there, and otherwise takes the
  # release that is there now, or this process's gems without a bundle.
  class ChildLaunch
    # What can't be started, and what to do: one sentence.
    class Gone < StandardError; end

    # - `environment`: changes to this process's; `command`: for Process.spawn; `options`: further ones of it
    Launch = Data.define(:environment, :command, :options)

    # Loads a bundle and then our executable, and says in one line why that fails. The current executable is
    # preferred, because the running processes are of its version.
    BOOT = <<~'RUBY'
      program = ARGV.shift
      begin
        require "bundler/setup"
        program = Gem.bin_path("holdup", "holdup") unless File.file?(program)
      rescue StandardError, ScriptError => error
        why = error.message.to_s.lines.map(&:strip).find { |line| !line.empty? }
        unless ARGV.include?("--again")
          warn "holdup: can't start with the bundle of #{ENV["BUNDLE_GEMFILE"]} (#{why}): install its " \
            "gems, or restart the server. Measuring goes on, and nothing is lost"
        end
        exit 3
      end
      load program
    RUBY
    EXECUTABLE = %r{/exe/holdup\z}

    # @param command [Array<String>] the Ruby, its options, our executable or a script, and arguments
    # @param environment [Hash{String => String, nil}] of the child, in addition
    # @param folder [String] where this process was started
    # @param gem_path [Array<String>] folders of this process's gems
    def initialize(command, environment: {}, env: ENV, folder: WorkingFolder.path,
      gem_path: defined?(Gem.path) ? Gem.path : [])
      @command = command
      @environment = environment
      @env = env
      @folder = folder
      @gem_path = gem_path
      @ruby = (command.first unless missing?(command.first))
      @bundle = bundle
      @failures = 0
      @number = 1
    end

    # @param arguments [Array<String>] further ones
    # @return [Launch]
    # @raise [Gone] nothing is left to start
    def call(*arguments)
      ways = ways([*@command, *arguments])
      raise Gone, gone if ways.empty?
      @number = ways.size
      ways[@failures % @number]
    end

    # The last launch ended by itself and without success: if there is another way, it is next.
    # @return [Boolean] whether a way is left that was not tried yet
    def failed
      if @unchanged
        @bundle = nil
        return true
      end
      @failures += 1
      @failures < @number
    end

    private

    # @return [Array<Launch>] the best first
    def ways(command)
      intact = intact?
      @failures = 0 unless intact == @intact
      @intact = intact
      @unchanged = false
      intact ? here(command) : moved(command)
    end

    # A bundle that is there may still be impossible to load: its gems are not installed yet, or not any more.
    # Once it has changed or failed, our own loading of it says why in one line, where Bundler would write a
    # backtrace each time.
    def here(command)
      bundled = gemfile && executable && bare.bundled?
      @unchanged = bundled && bundle == @bundle
      return [launch(bare, command)] if @unchanged || !bundled
      [in_bundle(gemfile, command), without_bundle(command)]
    end

    # @return [Array<Time, nil>] when its files were written
    def bundle
      [gemfile, "#{gemfile}.lock"].map { |path| File.mtime(path) if gemfile && File.file?(path) }
    end

    # A folder of the same name may have come back, which is not the one that this process is in.
    def intact? = lost.empty? && WorkingFolder.there?

    # @return [Array<String>] paths that a start needs and that are gone
    def lost
      [@ruby, executable, gemfile, @folder].compact.select { |path| missing?(path) }
    end

    def missing?(path) = path.start_with?("/") && !File.exist?(path)

    def gemfile = @env["BUNDLE_GEMFILE"]&.then { |path| path unless path.empty? }

    def executable = @command.drop(1).find { |word| EXECUTABLE.match?(word) }

    # @return [Array<Launch>] the best first
    def moved(command)
      return [] if @ruby && missing?(@ruby)
      found = release
      return [launch(bare, command, found || existing_folder)] unless bundle_lost?
      ways = []
      ways << in_bundle(File.join(found, gemfile_in_release), command, found) if found
      ways << without_bundle(command, existing_folder) unless executable_lost?
      ways
    end

    def bundle_lost?
      executable_lost? || (!gemfile.nil? && missing?(gemfile))
    end

    def executable_lost? = !executable.nil? && missing?(executable)

    def existing_folder
      File.directory?(@folder) ? @folder : "/"
    end

    def in_bundle(path, command, folder = nil)
      environment = bare.other_bundle(path)
      return launch(environment, command, folder) unless executable
      at = command.index(executable)
      launch(environment, [*command.take(at), "-e", BOOT, "--", *command.drop(at)], folder)
    end

    # The launch gets the gems that this process has, found by RubyGems.
    def without_bundle(command, folder = nil)
      path = @gem_path.join(File::PATH_SEPARATOR)
      gems = path.empty? ? {} : {"GEM_HOME" => @gem_path.first, "GEM_PATH" => path}
      launch(bare.other_bundle(nil).with(gems), command, folder)
    end

    # @param folder [String, nil] nil: the current one
    def launch(environment, command, folder = nil)
      Launch.new(environment: environment.with(@environment).to_h, command:, options: {chdir: folder}.compact)
    end

    def bare = ChildEnvironment.new(@env).without_jit.without_measuring

    # @return [String, nil] folder of the release that is there now
    def release
      folders = [@env["PWD"], *around(lost_release)]
      folders.find { |folder| folder && File.file?(File.join(folder, gemfile_in_release)) }
    end

    # @return [String, nil] the first folder on the way to the lost Gemfile that is gone
    def lost_release
      path = [gemfile, @folder, executable].compact.find { |each| missing?(each) } or return
      path = File.dirname(path) until File.exist?(File.dirname(path))
      path
    end

    def gemfile_in_release
      path = gemfile or return "Gemfile"
      gone = lost_release
      (gone && path.start_with?("#{gone}/")) ? path.delete_prefix("#{gone}/") : File.basename(path)
    end

    # The link `current` beside the releases (a deploy may have its own user) or beside their folder, then the
    # newest of `releases`.
    # @return [Array<String>]
    def around(release)
      return [] unless release
      parent = File.dirname(release)
      links = [parent, File.dirname(parent)].select { |folder| trusted?(folder) }
      newest = (File.basename(parent) == "releases" && trusted?(parent)) ? by_age(parent) : []
      [*links.map { |folder| File.join(folder, "current") }, *newest]
    end

    def by_age(parent)
      folders = Dir.children(parent).map { |name| File.join(parent, name) }
      folders.select { |folder| File.directory?(folder) }.sort_by { |folder| File.mtime(folder) }.reverse
    rescue SystemCallError
      []
    end

    # A stranger's Gemfile would run as our user in a folder where everybody may write.
    def trusted?(folder)
      !File.world_writable?(folder)
    end

    def gone
      verb = (lost.size == 1) ? "is" : "are"
      "#{lost.join(" and ")} #{verb} gone, because the release of this process is deleted, and no other " \
        "release with a #{gemfile_in_release} was found: restart the server " \
        "(and keep more releases, or restart it at each deploy)"
    end
  end
end

# frozen_string_literal: true

require "open3"
require "rbconfig"

module Holdup
  module Lab
    # Measures YJIT on the user's own server: a sweep whose arms are off, on from Ruby's start, on once the
    # application is loaded, the same with little memory, and other Rubies.
    module Jit
      OFF = {"RUBY_YJIT_ENABLE" => "0", "HOLDUP_JIT" => "off"}.freeze
      AT_BOOT = {"RUBY_YJIT_ENABLE" => "1"}.freeze
      AFTER_BOOT = {"RUBY_YJIT_ENABLE" => "0", "HOLDUP_JIT" => "on"}.freeze
      STATES = {"off" => OFF, "at boot" => AT_BOOT, "after boot" => AFTER_BOOT}.freeze
      # Code is about a third of YJIT's memory.
      CODE_SHARE = 3

      module_function

      # @param states [Array<String>] of STATES, in addition to off
      # @param mem_size [Integer, nil] MiB for an additional arm
      # @return [Array<Arm>] off first
      def arms(env, states: STATES.keys, mem_size: nil, rubies: [])
        wanted = STATES.slice("off", *states)
        arms = wanted.map { |label, extra| Arm.new(label:, extra:) }
        arms << limited(env, mem_size) if mem_size
        others = rubies.product(wanted.to_a).map do |ruby, (label, extra)|
          Arm.new(label: "#{label}, Ruby #{ruby.version}", extra: {**extra, **ruby.env(env)})
        end
        arms + others
      end

      def limited(env, mem_size)
        others = ChildEnvironment::RubySwitches.parse(env["RUBYOPT"]).without_jit.to_s
        extra = {**AFTER_BOOT, "RUBYOPT" => limit(others, mem_size)}
        Arm.new(label: "after boot, #{mem_size} MiB", extra:)
      end

      def limit(rubyopt, mem_size, version: RUBY_VERSION)
        limit = "--yjit-mem-size=#{mem_size}"
        unless RubyVersion.parse(version).limits_total?
          limit = "--yjit-exec-mem-size=#{[mem_size / CODE_SHARE, 1].max}"
        end
        [rubyopt, "--yjit-disable", limit].compact.reject(&:empty?).join(" ")
      end

      # Another Ruby for the command: it comes first on PATH, without the variables of the current Bundler.
      #
      # - `path`: of the program; `version`; `variables`: other variables that it needs, such as BUNDLE_PATH
      OtherRuby = Data.define(:path, :version, :variables) do
        # @param text [String] "/opt/ruby-3.3/bin/ruby" or "/opt/ruby-3.3/bin/ruby,BUNDLE_PATH=vendor/3.3"
        # @raise [UsageError] it is none
        def self.parse(text)
          path, *pairs = text.split(",")
          variables = pairs.to_h do |pair|
            raise refusal(text, "#{pair} is not a variable with a value") unless pair.include?("=")
            pair.split("=", 2)
          end
          version = version_of(path.to_s) { |why| raise refusal(text, why) }
          new(path: File.expand_path(path), version:, variables:)
        rescue SystemCallError => error
          raise refusal(text, error.message)
        end

        # @param path [String] of a program
        # @return [String, nil] its version; nil: it isn't a Ruby with a YJIT that Holdup can switch on
        # @yieldparam why [String] it is none
        # @raise [SystemCallError] it can't be run
        def self.version_of(path)
          env = ChildEnvironment.new(ENV).without_jit.with("RUBYOPT" => nil, "RUBYLIB" => nil).to_h
          output, messages, status = Open3.capture3(env, path, "--disable-gems", "-e", self::SCRIPT)
          return output if status.success?
          said = Collector::ChildCommand.last_words(messages)
          yield said ? "it said: #{said}" : "it has no YJIT that can be switched on" if block_given?
        end

        def self.refusal(text, reason)
          UsageError.new("--ruby can't be #{text[0, 200].inspect} (#{reason})",
            "give the path of a ruby, with variables if need be: /opt/ruby/bin/ruby,BUNDLE_PATH=vendor/other")
        end
        private_class_method :refusal

        # @param root [String] folder of an application
        # @return [Boolean] whether it has the gems of the Gemfile there; true without a Gemfile
        def gems?(env, root: Dir.pwd)
          output, status = Open3.capture2e(env(env), "bundle", "check", chdir: root)
          status.success? || output.include?("Could not locate Gemfile")
        rescue SystemCallError
          false
        end

        def env(env)
          bare = ChildEnvironment.new(env).without_jit
          bare = variables.key?("BUNDLE_GEMFILE") ? bare.other_bundle(nil) : bare.without_bundle
          bare.with(self.class::OF_THIS_RUBY.to_h { |name| [name, nil] })
            .with("PATH" => "#{File.dirname(path)}:#{env["PATH"]}", **variables).to_h
        end
      end

      OtherRuby::SCRIPT = "RubyVM::YJIT.respond_to?(:enable) ? print(RUBY_VERSION) : exit(1)"
      # They name folders and libraries of the current Ruby only.
      OtherRuby::OF_THIS_RUBY = %w[RUBYOPT RUBYLIB GEM_HOME GEM_PATH].freeze

      # The other Rubies of this machine that can run the command: those in sibling folders of the current one
      # (as in rbenv, asdf, mise, chruby and ruby-install) and those on PATH. One of each version, the oldest
      # first, each with YJIT and the gems of this folder.
      class InstalledRubies
        # @param ours [String] path of the Ruby that runs now
        def initialize(env, ours: RbConfig.ruby)
          @env = env
          @ours = ours
        end

        # @return [Array<OtherRuby>] at least one
        # @raise [UsageError] none is found; the message says why
        def call
          raise refusal("there is none next to #{@ours} or on PATH") if others.empty?
          usable = others.select { |ruby| ruby.gems?(@env) }
          raise refusal("#{lacking}: `bundle check` fails") if usable.empty?
          usable
        end

        private

        def others
          @others ||= paths.filter_map { |path| ruby(path) }
            .reject { |ruby| ruby.version == RUBY_VERSION }
            .uniq(&:version)
            .sort_by { |ruby| Gem::Version.new(ruby.version) }
        end

        def paths
          on_path = @env["PATH"].to_s.split(":").map { |folder| File.join(folder, "ruby") }
          [*neighbours, *on_path].select { |path| File.file?(path) && File.executable?(path) }.uniq
        end

        # .../versions/3.4.5/bin/ruby and its siblings.
        def neighbours
          Dir[File.expand_path("../../../*/bin/ruby", @ours)].sort
        end

        def ruby(path)
          version = OtherRuby.version_of(path)
          version && OtherRuby.new(path:, version:, variables: {})
        rescue SystemCallError
          nil
        end

        def lacking
          names = others.map { |ruby| "#{ruby.path} (#{ruby.version})" }
          "#{names.join(", ")} can't run what is in this folder"
        end

        def refusal(reason)
          UsageError.new("--ruby installed finds no other Ruby: #{reason}",
            "give one with what it needs: --ruby /opt/ruby/bin/ruby,BUNDLE_PATH=vendor/other")
        end
      end

      # Arguments for `holdup compare --states`, which finds the arms in a store by the fingerprint of their
      # setting.
      class ArmStates
        # Text that a shell needs no quotes for.
        PLAIN = /\A[\w@%+=:,.\/-]+\z/

        def initialize(result)
          @readings = result.plan.rates.flat_map { |rate| result.lines(rate).flat_map(&:readings) }
        end

        # @return [Hash{String => String}] name of an arm => the fingerprint that most of its servers reported
        def to_h
          by_arm = @readings.group_by { |reading| reading.arm.setting.name }
          by_arm.transform_values { |own| fingerprint(own) }
        end

        # @return [String] for a shell
        def command(store)
          states = to_h.map { |name, fingerprint| "#{name}=#{fingerprint}" }
          words = ["holdup", "compare", "--store", store, "--format", "markdown", "--states", *states]
          words.map { |word| quoted(word) }.join(" ")
        end

        private

        def fingerprint(readings)
          fingerprints = readings.map { |reading| Setting.new(attributes: reading.setting).fingerprint }
          fingerprints.tally.max_by(&:last).first
        end

        def quoted(word)
          PLAIN.match?(word) ? word : "'#{word.gsub("'") { "'\\''" }}'"
        end
      end
    end
  end
end

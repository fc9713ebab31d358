# frozen_string_literal: true

require "open3"
require "rbconfig"

module Holdup
  module Lab
    # Measures the JITs of Ruby on the user's own server: a sweep whose arms are off, on from Ruby's start, on
    # once the application is loaded, the same with little memory, and other Rubies. YJIT's arms have no name
    # of their own; those of ZJIT begin with it, and set its variable.
    module Jit
      OFF = {"RUBY_YJIT_ENABLE" => "0", "HOLDUP_JIT" => "off"}.freeze
      AT_BOOT = {"RUBY_YJIT_ENABLE" => "1"}.freeze
      AFTER_BOOT = {"RUBY_YJIT_ENABLE" => "0", "HOLDUP_JIT" => "on"}.freeze
      STATES = {"off" => OFF, "at boot" => AT_BOOT, "after boot" => AFTER_BOOT}.freeze
      ZJIT_VARIABLE = "RUBY_ZJIT_ENABLE"
      ZJIT_AT_BOOT = {"RUBY_YJIT_ENABLE" => "0", ZJIT_VARIABLE => "1"}.freeze
      ZJIT_AFTER_BOOT = {**AFTER_BOOT, ZJIT_VARIABLE => "0"}.freeze
      # Code is about a third of YJIT's memory.
      CODE_SHARE = 3

      # What a Ruby was built with.
      #
      # - `yjit`, `zjit`: whether it has it; `zjit_enables`: whether ZJIT can be switched on after boot
      BuiltJits = Data.define(:yjit, :zjit, :zjit_enables) do
        def self.here
          new(yjit: !!defined?(RubyVM::YJIT.enable), zjit: !!defined?(RubyVM::ZJIT.stats),
            zjit_enables: !!defined?(RubyVM::ZJIT.enable))
        end

        def none? = !yjit && !zjit

        # ZJIT is switched on after boot only where it is alone, because `config.jit` chooses YJIT of two.
        # @param wanted [Array<String>] of STATES
        # @return [Hash{String => Hash}] variables by label, off first
        def states(wanted)
          own = yjit ? STATES.slice("off", *wanted) : STATES.slice("off")
          return own unless zjit
          own = {**own, "ZJIT at boot" => ZJIT_AT_BOOT} if wanted.include?("at boot")
          return own if yjit || !zjit_enables || !wanted.include?("after boot")
          {**own, "ZJIT after boot" => ZJIT_AFTER_BOOT}
        end
      end

      module_function

      # @param states [Array<String>] of STATES, in addition to off
      # @param mem_size [Integer, nil] MiB for an additional arm
      # @param built [BuiltJits] of this Ruby
      # @return [Array<Arm>] off first
      def arms(env, states: STATES.keys, mem_size: nil, rubies: [], built: BuiltJits.here)
        arms = built.states(states).map { |label, extra| Arm.new(label:, extra:) }
        arms << limited(env, mem_size, built) if mem_size
        others = rubies.flat_map do |ruby|
          ruby.built.states(states).map do |label, extra|
            extra = {**extra, **ruby.env(env), **of_jit(extra)}
            Arm.new(label: "#{label}, Ruby #{ruby.version}", extra:)
          end
        end
        arms + others
      end

      # The environment of another Ruby unsets the variables of all JITs.
      def of_jit(extra) = extra.slice("RUBY_YJIT_ENABLE", ZJIT_VARIABLE)

      def limited(env, mem_size, built)
        others = ChildEnvironment::RubySwitches.parse(env["RUBYOPT"]).without_jit.to_s
        return limited_zjit(others, mem_size) unless built.yjit
        extra = {**AFTER_BOOT, "RUBYOPT" => limit(others, mem_size)}
        Arm.new(label: "after boot, #{mem_size} MiB", extra:)
      end

      # Its options start it, too.
      def limited_zjit(rubyopt, mem_size)
        switches = [rubyopt, "--zjit-mem-size=#{mem_size}"].reject(&:empty?).join(" ")
        extra = {**ZJIT_AT_BOOT, "RUBYOPT" => switches}
        Arm.new(label: "ZJIT at boot, #{mem_size} MiB", extra:)
      end

      # @param ruby [RubyVersion]
      def limit(rubyopt, mem_size, ruby: RubyVersion.here)
        limit = "--yjit-mem-size=#{mem_size}"
        unless ruby.limits_total?
          limit = "--yjit-exec-mem-size=#{[mem_size / CODE_SHARE, 1].max}"
        end
        [rubyopt, "--yjit-disable", limit].compact.reject(&:empty?).join(" ")
      end

      # @param arm [Arm]
      # @return [String] the JIT that its name promises
      def kind(arm)
        return "off" if arm.extra["HOLDUP_JIT"] == "off"
        arm.extra[ZJIT_VARIABLE] ? "zjit" : "yjit"
      end

      # Another Ruby for the command: it comes first on PATH, without the variables of the current Bundler.
      #
      # - `path`: of the program; `version`; `variables`: other variables that it needs, such as BUNDLE_PATH
      # - `built`: BuiltJits
      OtherRuby = Data.define(:path, :version, :variables, :built) do
        # @param text [String] "/opt/ruby-3.3/bin/ruby" or "/opt/ruby-3.3/bin/ruby,BUNDLE_PATH=vendor/3.3"
        # @raise [UsageError] it is none
        def self.parse(text)
          path, *pairs = text.split(",")
          variables = pairs.to_h do |pair|
            raise refusal(text, "#{pair} is not a variable with a value") unless pair.include?("=")
            pair.split("=", 2)
          end
          version, built = version_of(path.to_s) { |why| raise refusal(text, why) }
          new(path: File.expand_path(path), version:, variables:, built:)
        rescue SystemCallError => error
          raise refusal(text, error.message)
        end

        # @param path [String] of a program
        # @return [Array(String, BuiltJits), nil] its version and its JITs; nil: it is no Ruby with a JIT
        # @yieldparam why [String] it is none
        # @raise [SystemCallError] it can't be run
        def self.version_of(path)
          env = ChildEnvironment.new(ENV).without_jit.with("RUBYOPT" => nil, "RUBYLIB" => nil).to_h
          output, messages, status = Open3.capture3(env, path, "--disable-gems", "-e", self::SCRIPT)
          version, *jits = output.split
          built = BuiltJits.new(yjit: jits.include?("yjit"), zjit: jits.include?("zjit"),
            zjit_enables: jits.include?("zjit_enables"))
          return version, built if status.success? && !built.none?
          said = Collector::ChildCommand.last_words(messages)
          yield said ? "it said: #{said}" : "it has no JIT that can be switched on" if block_given?
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

      # Prints its version and what it was built with.
      OtherRuby::SCRIPT = <<~RUBY
        print RUBY_VERSION
        print " yjit" if defined?(RubyVM::YJIT.enable)
        print " zjit" if defined?(RubyVM::ZJIT.stats)
        print " zjit_enables" if defined?(RubyVM::ZJIT.enable)
      RUBY
      # They name folders and libraries of the current Ruby only.
      OtherRuby::OF_THIS_RUBY = %w[RUBYOPT RUBYLIB GEM_HOME GEM_PATH].freeze

      # The other Rubies of this machine that can run the command: those in sibling folders of the current one
      # (as in rbenv, asdf, mise, chruby and ruby-install) and those on PATH. One of each version, the oldest
      # first, each with a JIT and the gems of this folder.
      class InstalledRubies
        # @param ours [String] path of the Ruby that runs now
        # @param our_version [RubyVersion]
        def initialize(env, ours: RbConfig.ruby, our_version: RubyVersion.here)
          @env = env
          @ours = ours
          @our_version = our_version
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
            .reject { |ruby| ruby.version == @our_version.to_s }
            .uniq(&:version)
            .sort_by { |ruby| RubyVersion.parse(ruby.version) }
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
          version, built = OtherRuby.version_of(path)
          version && OtherRuby.new(path:, version:, variables: {}, built:)
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

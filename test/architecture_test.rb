# frozen_string_literal: true

require "test_helper"
require "holdup"
require "holdup/loader"
require "open3"
require "rbconfig"

# Who may use whom. Data flows one way, so an arrow that points back is a mistake in the design, not in a
# detail. A file belongs to the part of its folder. An arrow is a constant of another part, looked up as Ruby
# does. A feature may use the core, and what the features that it `uses` offer: both are in their feature.rb.
class ArchitectureTest < Minitest::Test
  LIB = File.expand_path("../lib/holdup", __dir__)
  ROOT = File.expand_path("..", __dir__)

  # Part of the core => the parts that it may use, itself, the values (model) and the version aside. No part
  # of the core uses a feature. docs/internals/architecture.md prints it.
  ALLOWED = {
    "model" => %w[native],
    "segment" => [],
    "hooks" => [],
    "capture" => %w[hooks segment],
    # The collector and a store only where the application is asked to run a collector in a thread of its own.
    "agent" => %w[capture collector hooks native segment store],
    "base" => %w[agent],
    "yabeda" => %w[agent],
    "collector" => %w[agent analysis capture native segment shell store],
    "store" => [],
    "analysis" => %w[agent],
    "shell" => %w[agent analysis capture segment store]
  }.freeze
  EVERYWHERE = %w[model version loader].freeze
  # What every feature may use.
  CORE = [*ALLOWED.keys, "native"].freeze

  # The half that runs inside the application: nothing but Ruby and what the application has.
  IN_APP = %w[agent capture hooks model segment].freeze
  GEMS_OF_THE_OTHER_HALF = /\/(sequel|sqlite3|bigdecimal|roda|rack|zeitwerk)[\/.-]/
  # Rails and RUBYOPT bring what these stand on.
  LOADED_BY_A_HOST = %r{\Aagent/(rails\.rb|exec_boot\.rb)}

  class << self
    # @return [Hash] of the whole code, read once for all tests
    def arrows = @arrows ||= yield
  end

  one_ruby def test_no_arrow_points_back
    wrong = arrows.flat_map do |part, used|
      used.reject { |other, _| allowed?(part, other) }.map { |other, references|
        "#{part} uses #{other}: #{references.first.place}"
      }
    end
    assert_empty wrong
  end

  one_ruby def test_features_use_only_what_others_offer
    wrong = between_features.flat_map do |part, other, references|
      references.reject { |reference| offered?(other, reference) }
        .map { |reference| "#{part}: #{other} does not offer #{reference.place}" }
    end
    assert_empty wrong
  end

  def test_every_part_is_in_the_table
    assert_empty files.map { |file| part_of(file) }.uniq - ALLOWED.keys - EVERYWHERE - features.keys
  end

  one_ruby def test_every_allowed_dependency_is_used
    allowed = {**ALLOWED, **features.transform_values { |contents| in_folder(contents.uses) }}
    needless = allowed.flat_map do |part, others|
      (others - arrows.fetch(part, {}).keys).map { |other| "#{part} -> #{other}" }
    end
    assert_empty needless
  end

  one_ruby def test_every_constant_that_a_feature_offers_is_used_by_another
    needless = features.flat_map do |part, contents|
      used = between_features.select { |_, other, _| other == part }.flat_map(&:last)
      contents.offers.reject { |offer| used.any? { |reference| in?(offer, reference.in_feature(part)) } }
        .map { |offer| "#{part}: #{offer}" }
    end
    assert_empty needless
  end

  # The pages of the dashboard and the reports of the command line are both made of shell/view/.
  def test_no_command_of_a_feature_uses_the_dashboard
    commands = Dir["#{LIB}/features/**/*command.rb"]
    assert_operator commands.size, :>, 15
    assert_empty commands.select { |file| File.read(file).match?(/\bWeb::/) }.map { |file| relative(file) }
  end

  # That of features is written by bin/generate.
  def test_the_table_in_docs_is_this_one
    rows = ALLOWED.map do |part, others|
      "| `#{part}` | #{others.empty? ? "nothing else" : others.map { |other| "`#{other}`" }.join(", ")} |\n"
    end
    page = File.read("#{ROOT}/docs/internals/architecture.md")
    assert_includes page, "| part | may use |\n|---|---|\n#{rows.join}\n", "the table is:\n#{rows.join}"
  end

  def test_each_file_of_the_in_app_half_loads_alone_in_a_fresh_ruby
    loadable = files.select { |file|
      IN_APP.include?(part_of(file)) && !LOADED_BY_A_HOST.match?(relative(file))
    }
    assert_operator loadable.size, :>, 50
    assert_empty troubles(loadable)
  end

  def test_zeitwerk_finds_each_constant_in_the_file_of_its_name
    script = <<~RUBY
      require "holdup/loader"
      Holdup.send(:const_get, :LOADER).eager_load(force: true)
    RUBY
    output, status = Open3.capture2e(RbConfig.ruby, "-w", "-I#{File.dirname(LIB)}", "-e", script)
    assert status.success?, output
    assert_empty output.lines.grep(/#{Regexp.escape(LIB)}/o)
  end

  # Where a library's or Ruby's own interface takes a module or a callback, and `super` of it goes up: no
  # alias that is made later can call it in a circle.
  BY_INTERFACE = {
    "agent/exec_boot.rb" => "owner.extend(Watch)", # `const_added`, before anything else is loaded
    "agent/instrumentation/connection_pool.rb" => "pool.extend(@leases)",
    "agent/instrumentation/connection_pool_gem.rb" => "resource.extend(@waits)",
    "agent/servers/sidekiq.rb" => "chain.prepend(Instrumentation::Sidekiq, runs)",
    "agent/probe.rb" => "(Probe::Fallback)", # of our own
    "shell/compiled_code.rb" => "InstructionSequence.singleton_class.prepend(Loading)", # Ruby asks it
    "store/sql/postgres.rb" => "db.define_singleton_method(:log_connection_yield)" # of our own connection
  }.freeze
  # What changes methods of a class that is not ours: prepends to it, defines, makes an alias, opens it again.
  INTO_OTHERS = /
    \.prepend\b | \bprepend[ (]+(?!:|self) | \.(?:include|extend)\((?!\w*\))
    | [:\w]\.(?:alias_method|define_method|define_singleton_method|class_eval|module_eval|class_exec|refine)\b
    | \.send\(:(?:prepend|include|alias_method|define_method) | ^\s*(?:class|module)\s+::
    | class\s*<<\s*+(?!self) | \brefine[ (]
  /x

  def test_all_hooks_into_methods_of_others_go_through_one_mechanism
    wrong = files.reject { |file| part_of(file) == "hooks" }.flat_map do |file|
      File.readlines(file).each_with_index.filter_map do |line, index|
        next if line.match?(/^\s*#/) || !line.match?(INTO_OTHERS)
        allowed = BY_INTERFACE[relative(file)]
        "#{relative(file)}:#{index + 1}: #{line.strip}" unless allowed && line.include?(allowed)
      end
    end
    assert_empty wrong
  end

  def test_what_goes_through_an_interface_is_there
    BY_INTERFACE.each { |file, code| assert_includes File.read("#{LIB}/#{file}"), code }
  end

  def test_the_in_app_half_loads_no_gem
    loadable = files.select { |file|
      IN_APP.include?(part_of(file)) && !LOADED_BY_A_HOST.match?(relative(file))
    }
    output = plain_ruby("ARGV.each { |file| require file }\nputs $LOADED_FEATURES", "holdup", *loadable)
    assert_includes output, "holdup/agent/runtime.rb"
    assert_empty output.lines.reject { |file| file.start_with?(LIB) }.grep(GEMS_OF_THE_OTHER_HALF)
  end

  def test_loading_the_gem_starts_nothing
    output = plain_ruby(<<~RUBY)
      threads = Thread.list.size
      require "holdup"
      puts [Thread.list.size - threads, Holdup.running?, Holdup::Probe.enabled?].join(" ")
    RUBY
    assert_equal "0 false false", output.chomp
  end

  private

  def files
    Dir["#{LIB}/**/*.rb"].grep_v(%r{/store/migrations/}).sort
  end

  def relative(file)
    file.delete_prefix("#{LIB}/")
  end

  def part_of(file)
    parts = relative(file).delete_suffix(".rb").split("/")
    (parts.first == "features") ? parts.first(2).join("/") : parts.first
  end

  def allowed?(from, to)
    return true if from == to || EVERYWHERE.include?(to)
    return CORE.include?(to) || in_folder(features.fetch(from).uses).include?(to) if features.key?(from)
    ALLOWED.fetch(from, []).include?(to) || (EVERYWHERE.include?(from) && to == "version")
  end

  # @return [Hash{String => Holdup::FeatureContents}] "features/advise" => its table of contents
  def features
    Holdup::Features.folders.select { |folder, _| folder.start_with?("features/") }
  end

  def in_folder(names) = names.map { |name| "features/#{name}" }

  # A constant of another part. `name`: as it is written; `place`: "file:line (name)"
  Reference = Data.define(:name, :place) do
    # @param part [String] "features/jit_report"
    # @return [String, nil] the name inside that feature; nil if it is not written with the feature's name
    def in_feature(part)
      namespace = File.basename(part).split("_").map(&:capitalize).join
      name[/(?:\A|::)#{namespace}::(.+)\z/, 1]
    end
  end

  # @return [Array<Array(String, String, Array<Reference>)>] feature, feature that it uses, constants
  def between_features
    arrows.slice(*features.keys).flat_map do |part, used|
      used.slice(*features.keys).map { |other, references| [part, other, references] }
    end
  end

  def offered?(feature, reference)
    name = reference.in_feature(feature)
    features.fetch(feature).offers.any? { |offer| in?(offer, name) }
  end

  def in?(offer, name) = name == offer || name.to_s.start_with?("#{offer}::")

  # @return [Hash{String => Hash{String => Array<Reference>}}] part => part that it uses => what of it
  def arrows
    self.class.arrows do
      Holdup.send(:const_get, :LOADER).eager_load(force: true)
      in_app = files.select { |file|
        IN_APP.include?(part_of(file)) && !LOADED_BY_A_HOST.match?(relative(file))
      }
      in_app.each { |file| require file }
      files.each_with_object({}) { |file, found| add_arrows(file, found[part_of(file)] ||= {}) }
    end
  end

  def add_arrows(file, found)
    ConstantReferences.new(file).each do |name, line, places|
      used = places.compact.reverse.find { |place| place.start_with?("#{LIB}/") }
      next if used.nil? || part_of(used) == part_of(file)
      (found[part_of(used)] ||= []) << Reference.new(name:, place: "#{relative(file)}:#{line} (#{name})")
    end
  end

  # Without Bundler, which would have everything of the Gemfile at hand.
  def plain_ruby(script, *arguments)
    bare = OtherBundle::NONE
    output, status = Open3.capture2e(bare, RbConfig.ruby, "-W0", "-I#{File.dirname(LIB)}", "-e", script,
      *arguments)
    assert status.success?, output
    output
  end

  # One Ruby that has loaded nothing forks a child for each file: as fresh as a new one, and far sooner there.
  FORKS = <<~RUBY
    ARGV.each do |file|
      reader, writer = IO.pipe
      pid = fork do
        [$stdout, $stderr].each { |io| io.reopen(writer) }
        require file
        $stdout.flush
        exit!(0)
      rescue Exception => error
        warn error.full_message
        exit!(1)
      end
      writer.close
      said = reader.read
      _, status = Process.wait2(pid)
      STDOUT.puts([file, status.success?, said].inspect)
    end
  RUBY

  # @return [Array<String>] of the files that do not load alone, or warn
  def troubles(files)
    output, status = Open3.capture2e(RbConfig.ruby, "-w", "-I#{File.dirname(LIB)}", "-e", FORKS, *files)
    assert status.success?, output
    lines = output.lines.map { |line| line.match(/\A\["([^"]+)", (true|false), (.*)\]\n/).captures }
    assert_equal files, lines.map(&:first)
    lines.filter_map { |file, loaded, said|
      "#{relative(file)}: #{said}" if loaded == "false" || said.include?("#{ROOT}/lib")
    }
  end
end

# frozen_string_literal: true

require "test_helper"
require "rubygems/package"
require "open3"
require "pathname"

# The gems as they are published: what is in each, how large it is, and where its page on RubyGems leads.
class GemPackageTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("..", __dir__)
  NAMES = %w[holdup-agent holdup].freeze
  # Of the gem holdup, help and errors in a second language are a fiftieth, and the guide is an eighth.
  MOST_BYTES = {"holdup-agent" => 1_000_000, "holdup" => 1_430_000}.freeze
  # What the release workflow has in its environment.
  PUBLISHED = {"GITHUB_SERVER_URL" => "https://git.example", "GITHUB_REPOSITORY" => "someone/holdup"}.freeze
  LINKS = %w[homepage_uri source_code_uri changelog_uri documentation_uri bug_tracker_uri].freeze
  TOP = %w[LICENSE.txt README.md CHANGELOG.md].freeze
  # Folders and files of lib/holdup that run inside the application.
  IN_APP = %w[agent base.rb capture hooks model segment version.rb yabeda.rb].freeze

  BuiltGem = Data.define(:spec, :bytes, :printed)

  class << self
    # @return [Hash{String => BuiltGem}] name => gem, made once
    def built
      @built ||= Dir.mktmpdir do |folder|
        source = readable_copy(File.join(folder, "source"))
        NAMES.to_h { |name| [name, build(name, source)] }
      end
    end

    private

    def build(name, source)
      path = File.join(source, "#{name}.gem")
      command = [RbConfig.ruby, "-S", "gem", "build", "#{name}.gemspec", "--output", path]
      printed, status = Bundler.with_unbundled_env { Open3.capture2e(PUBLISHED, *command, chdir: source) }
      raise printed unless status.success?
      BuiltGem.new(spec: Gem::Package.new(path).spec, bytes: File.size(path), printed:)
    end

    # `gem build` warns of files that only their owner may read, as a umask of 077 makes them.
    def readable_copy(folder)
      FileUtils.mkdir_p(folder)
      %w[lib ext exe sig docs].chain(NAMES.map { |name| "#{name}.gemspec" }, TOP).each do |name|
        FileUtils.cp_r(File.join(ROOT, name), folder)
      end
      FileUtils.chmod_R("a+rX", folder)
      folder
    end
  end

  def test_each_is_as_small_as_it_has_to_be
    sizes = built.transform_values(&:bytes)
    puts "bytes of the gems: #{sizes.map { |name, bytes| "#{name} #{bytes}" }.join(", ")}"
    sizes.each { |name, bytes| assert_operator bytes, :<, MOST_BYTES.fetch(name), name }
  end

  # Of the pages those that `holdup docs` shows, also in other languages. Pictures would be more than the gem.
  def test_together_have_all_code_and_signatures
    assert_empty git_files("lib", "ext", "exe", "sig") - files
    pages = git_files("docs").grep(%r{\Adocs/(?:(?:guide|stories|internals|reference)/)?[^/]+\.md\z})
    assert_equal pages.sort, files.grep(%r{\Adocs/}).sort
  end

  def test_have_nothing_else
    assert_empty files - git_files
    assert_empty files.grep_v(%r{\A(lib|ext|exe|sig|docs)/}) - TOP
    assert_empty files.grep(/\.(png|jpg|so|bundle|o|sqlite3)\z/)
  end

  def test_share_no_file_but_the_licence_the_readme_and_the_changelog
    assert_equal TOP.sort, files.tally.select { |_, count| count > 1 }.keys.sort
  end

  def test_the_agent_is_the_in_app_half_with_the_extension
    agent = built.fetch("holdup-agent").spec
    assert_equal IN_APP, agent.files.filter_map { |file| file[%r{\Alib/holdup/([^/]+)}, 1] }.uniq.sort
    assert_equal %w[ext/holdup/extconf.rb], agent.extensions
    assert_empty agent.executables
  end

  def test_the_agent_needs_no_gem_and_holdup_needs_its_agent
    agent, holdup = built.values_at(*NAMES).map(&:spec)
    assert_empty agent.dependencies
    assert_includes holdup.dependencies, Gem::Dependency.new("holdup-agent", "= #{agent.version}")
    assert_empty holdup.extensions
  end

  # Installed, they are in two folders; in a checkout it would work.
  def test_no_file_requires_one_of_the_other_gem_by_its_path
    built.each_value do |gem|
      required = gem.spec.files.grep(%r{\.rb\z|\Aexe/}).flat_map { |file| relatives(file) }
      refute_empty required
      assert_empty required.reject { |_, target| gem.spec.files.include?(target) }
    end
  end

  def test_their_pages_lead_to_the_source_the_pages_and_the_issues
    built.each_value do |gem|
      assert_equal "https://git.example/someone/holdup", gem.spec.homepage
      assert_equal LINKS, LINKS & gem.spec.metadata.keys
      assert_equal "https://git.example/someone/holdup/blob/v#{gem.spec.version}/CHANGELOG.md",
        gem.spec.metadata["changelog_uri"]
    end
  end

  def test_link_to_nothing_where_the_repository_is_unknown
    script = <<~RUBY
      specs = ARGV.map { |file| Gem::Specification.load(file) }
      specs.each { |spec| p [spec.homepage, spec.metadata.keys] }
    RUBY
    gemspecs = NAMES.map { |name| "#{name}.gemspec" }
    output, = Open3.capture2e(PUBLISHED.transform_values { nil }, RbConfig.ruby, "-e", script, *gemspecs,
      chdir: ROOT)
    assert_equal "[nil, [\"rubygems_mfa_required\"]]\n" * 2, output
  end

  def test_build_without_a_warning
    built.each_value { |gem| assert_empty gem.printed.lines.grep(/warning/i) }
  end

  private

  def built = self.class.built

  def files = built.values.flat_map { |gem| gem.spec.files }

  # @return [Array<Array<String>>] [file, file that it requires by its path]
  def relatives(file)
    targets = File.read(File.join(ROOT, file)).scan(/require_relative "([^"]+)"/)
    targets.map { |(target)| [file, "#{Pathname(file).dirname.join(target)}.rb"] }
  end

  def git_files(*folders)
    listed, status = Open3.capture2("git", "ls-files", "-z", "--", *folders, chdir: ROOT)
    skip "not a git repository" unless status.success?
    listed.split("\0")
  end
end

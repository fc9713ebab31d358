# frozen_string_literal: true

require "support/used_keys"

# Which parts of the code say a key of the locales: a feature (`features/compare`), or a part of the core
# (`shell`, `collector`). A part says a key that it names, and one that it puts together from a prefix and a
# name that it has.
class KeyUsers
  ON_PAGE = "on_page_"
  # With these one part asks for what another gives it: the dashboard for the title of a feature's page,
  # advice for the findings of the JIT's rules. Such a key belongs to a part that names what follows.
  GIVEN = %w[doctor_ error_ finding_ phrase_ title_ wait_].freeze
  # What is appended to such a name: the parts of a finding, a remedy.
  APPENDED = /_(?:do|evidence|fix|risk|what)\z/
  PART = %r{\A(?:features/)?\w+}
  # The others have no words: they record and compute, and name an error by its key.
  SAYING = %r{\A(?:collector|features|shell)/(?!queries/)}
  SAYING_PART = %r{\A(?:collector\z|features/|shell\z)}

  # @param folder [String] lib/holdup
  # @param keys [Array<String>] all keys of the locales
  def initialize(folder, keys)
    files = Dir["**/*.{rb,erb}", base: folder].sort
    @uses = files.to_h { |file| [file, UsedKeys.new([File.join(folder, file)])] }
    @saying = @uses.select { |file, _| file.match?(SAYING) }
    @whole = patterns(@saying) { |use| use.whole(keys) }
    @built = patterns(@uses, &:built)
    @naming = Hash.new { |known, name| known[name] = parts(@saying, name) }
  end

  # @return [Array<String>] parts; of a given key those that name what follows the prefix, which may be an
  #   ordinary word that others name as well
  def of(key)
    key = without_page(key)
    return giving(key) if given?(key)
    key.start_with?(*GIVEN) ? @naming[key] : @naming[key] | building(key)
  end

  # @return [Boolean] whether one part asks for it by a name that another gives
  def given?(key)
    key = without_page(key)
    key.start_with?(*GIVEN) && @naming[key].empty?
  end

  # @return [Boolean] whether this part puts the prefix of a given key before a name
  def asks?(part, key)
    @whole.fetch(part, []).any? { |pattern| pattern.match?(without_page(key)) }
  end

  private

  def without_page(key) = key.to_s.delete_prefix(ON_PAGE)

  def patterns(uses)
    found = uses.flat_map { |file, use| yield(use).map { |pattern| [file[PART], pattern] } }
    found.group_by(&:first).transform_values { |pairs| pairs.map(&:last).uniq }
  end

  def parts(uses, name)
    uses.filter_map { |file, use| file[PART] if use.name?(name) }.uniq
  end

  # Where no part has the name that follows a prefix as a whole, any that has the prefix may say it.
  def building(key)
    having = @whole.select { |_, patterns| patterns.any? { |pattern| pattern.match?(key) } }
    sure = having.select { |part, patterns| patterns.any? { |pattern| all_named?(part, pattern.match(key)) } }
    (sure.empty? && @naming[key].empty?) ? having.keys : sure.keys
  end

  def all_named?(part, match)
    match&.captures&.all? do |name|
      @naming[name].include?(part) || @built.fetch(part, []).any? { |pattern| pattern.match?(name) }
    end
  end

  def giving(key)
    rest = key.delete_prefix(GIVEN.find { |prefix| key.start_with?(prefix) })
    [rest, rest.sub(APPENDED, "")].uniq.flat_map { |name|
      putting = @built.select { |_, patterns| patterns.any? { |pattern| pattern.match?(name) } }
      parts(@uses, name) | putting.keys
    }.uniq
  end
end
